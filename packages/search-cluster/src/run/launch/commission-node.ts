import { describeError, TerminalError, waitFor } from '@drover/core';
import { hookEndsAt } from '../../decide/deadline.ts';
import { type CommissionAction, type CommissionOutcome, decideCommission } from '../../decide/launch/commission.ts';
import type { CommissionCase, CommissionFacts, CommissionHistory } from '../../decide/launch/commission-facts.ts';
import { pauseUntil, polling, pollPauseMs } from '../poll-pause.ts';
import { applyCommission } from './apply-commission.ts';
import type { CommissionRun } from './commission-run.ts';
import { gatherCommission } from './gather-commission.ts';

const noHistory: CommissionHistory = {
  stableReadings: 0,
  completeReadings: 0,
  hookGone: false,
  retriedFailedShards: false,
};

const slackMs = 5 * 60_000;

/** Waits until a node that has just started is settled in the cluster of the others, then lets its launch go on. */
export async function commissionNode(run: CommissionRun, context: CommissionCase): Promise<CommissionOutcome> {
  let history = noHistory;
  const end = await waitFor<CommissionFacts, CommissionAction, CommissionOutcome>({
    ...polling(run),
    deadlineAt: lastRoundAt(context),
    gather: async () => {
      const facts = await gather(run, context, history);
      history = facts.history;
      return facts;
    },
    decide: decideCommission,
    apply: async (action, facts) => {
      history = await applyCommission(run, context, action, facts, history);
    },
    onWait: (because, facts) => void run.report.onWait(because, facts),
    pauseMs: (round) => pauseUntil(context.deadlineAt, run.clock.now(), pollPauseMs(round, run.random)),
  });
  return end.kind === 'done' ? end.outcome : { kind: 'timed-out', because: end.because, end: 'left-open' };
}

/** After the deadline a node may still have to be drained, until AWS ends the hook. */
const lastRoundAt = ({ deadlineAt, launch }: CommissionCase) =>
  Math.max(deadlineAt, launch === undefined ? 0 : hookEndsAt(launch.hook)) + slackMs;

async function gather(
  run: CommissionRun,
  context: CommissionCase,
  history: CommissionHistory,
): Promise<CommissionFacts> {
  try {
    return await gatherCommission(run.search, run.aws, context, history, run.clock.now());
  } catch (error) {
    if (error instanceof TerminalError) throw error;
    const broken = { ...history, stableReadings: 0, stableSince: undefined, completeReadings: 0 };
    return { stage: 'unreadable', case: context, history: broken, error: describeError(error) };
  }
}

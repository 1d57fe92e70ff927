import { waitFor } from '@drover/core';
import {
  type DecommissionAction,
  type DecommissionOutcome,
  type DecommissionStep,
  decideDecommission,
} from '../../decide/drain/decommission.ts';
import type { DecommissionCase, DecommissionFacts, DrainHistory } from '../../decide/drain/decommission-facts.ts';
import { pauseUntil, polling, pollPauseMs } from '../poll-pause.ts';
import { applyDecommission } from './apply-decommission.ts';
import type { DecommissionRun } from './decommission-run.ts';
import { gatherDecommission, noDrainHistory } from './gather-decommission.ts';

/** The decision itself ends the run at its deadline; the limit of the loop is only the last resort. */
const slackMs = 5 * 60_000;
/** After a write the next look comes at once: of two that wrote at the same moment one must yield. */
const lookAgainMs = 1_000;

/** Drains a node: gather, decide, apply, every few seconds until it is drained, refused, stalled or out of time. */
export async function decommissionNode(run: DecommissionRun, context: DecommissionCase): Promise<DecommissionOutcome> {
  let history: DrainHistory = { ...noDrainHistory, lastHeartbeatAt: run.lastHeartbeatAt };
  let wrote = false;
  const end = await waitFor<DecommissionFacts, DecommissionAction, DecommissionOutcome>({
    ...polling(run),
    deadlineAt: context.deadlineAt + slackMs,
    gather: async () => {
      const facts = await gatherDecommission(run.search, context, history, run.clock.now());
      history = facts.history;
      return facts;
    },
    decide: (facts, now) => {
      const step = decideDecommission(facts, now);
      wrote = writes(step);
      return step;
    },
    apply: async (action) => {
      history = await applyDecommission(run, context, action, history);
    },
    onWait: (because, facts) => void run.report.onWait(because, facts),
    pauseMs: (round) =>
      wrote ? lookAgainMs : pauseUntil(context.deadlineAt, run.clock.now(), pollPauseMs(round, run.random)),
  });
  return end.kind === 'done' ? end.outcome : { kind: 'timed-out', because: end.because };
}

/** One look without any act: what a run would do now. */
export async function forecastDecommission(
  run: Pick<DecommissionRun, 'clock' | 'search'>,
  context: DecommissionCase,
): Promise<{ readonly facts: DecommissionFacts; readonly step: DecommissionStep }> {
  const now = run.clock.now();
  const facts = await gatherDecommission(run.search, context, noDrainHistory, now);
  return { facts, step: decideDecommission(facts, now) };
}

const writes = (step: DecommissionStep) => (step.actions ?? []).some(({ kind }) => writing.has(kind));
const writing: ReadonlySet<string> = new Set(['register-shutdown', 'withdraw-shutdown', 'exclude-vote']);

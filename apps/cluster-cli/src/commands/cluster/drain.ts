import { searchRoles } from '@drover/adapters/elasticsearch';
import { renderRefusal } from '@drover/core';
import {
  type BeforeFacts,
  type DecommissionCase,
  type DecommissionFacts,
  type DecommissionOutcome,
  type DrainableTermination,
  drainThisHost,
  forecastOf,
  forecastRest,
  type HostDrainReporter,
  hookEndsAt,
  type Observed,
  type PlacementFacts,
} from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes, UsageError } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { refused } from '../refused.ts';
import { printForecast } from './print-forecast.ts';

type Search = ReturnType<typeof searchRoles>;

/** Drains a node and reports how it ended. */
export async function drain(
  context: Context,
  { args, options }: CommandInput<'cluster decommission-node'>,
  termination: DrainableTermination | undefined,
): Promise<number> {
  const { roles: aws } = await context.aws();
  const search = searchRoles(context.search());
  const report = reporter(context, search);
  const end = await drainThisHost(
    { ...context.run, lock: context.io.lock, search, aws, metadata: context.metadata, report },
    {
      node: args.NODE,
      reason: options.reason,
      waitMs: options.waitUntilComplete * 1000,
      hookName: options.lifecycleHook,
      completeHook: options.completeLifecycleAction,
      allowTimeout: options.allowTimeout,
      termination,
      dryRun: options.dryRun,
    },
  );
  switch (end.kind) {
    case 'already-running':
      context.log.info('another run on this host drains this node already');
      return exitCodes.done;
    case 'retained':
      context.log.warn(
        `instance ${end.instanceId} is retained: drain it by hand (cluster-cli cluster decommission-node --reason retained), then: drover cluster release ${end.instanceId}`,
      );
      return exitCodes.done;
    case 'hook-elsewhere':
      throw new UsageError(
        `--complete-lifecycle-action acts on this instance, but ${args.NODE} runs elsewhere: run it there, or leave the option out`,
      );
    case 'forecast':
      return await printForecast(context, end);
    case 'ended':
      return finish(context, end.drain, end.outcome);
  }
}

/** The bytes that are left on the node are read only while they are displayed. */
function reporter(context: Context, search: Search): HostDrainReporter {
  let planned: number | undefined;
  return {
    ...context.run,
    onWait: async (because, facts) => {
      if (facts.stage === 'before' && facts.placement !== undefined) planned = plannedRate(facts, facts.placement);
      const shardsLeft = facts.stage === 'draining' ? facts.own.shardsRemaining : undefined;
      const shown = context.progress.shown && facts.stage === 'draining';
      const bytesLeft = shown ? await bytesLeftOn(search, facts.case.nodeId) : undefined;
      const restMs = (seen: Observed) => (bytesLeft === undefined ? undefined : forecastRest(bytesLeft, seen, planned));
      context.progress.show({ because, shardsLeft, bytesLeft, restMs, endsAt: endsAt(facts) });
    },
    onDetail: (what) => context.log.debug(what),
  };
}

const endsAt = ({ case: { deadlineAt, terminating } }: DecommissionFacts) =>
  terminating === undefined ? deadlineAt : Math.min(deadlineAt, hookEndsAt(terminating.hook));

/** Bytes per second over the whole drain, as its forecast has it. */
function plannedRate(facts: BeforeFacts, placement: PlacementFacts): number | undefined {
  const { bytes, ms } = forecastOf(facts, placement);
  return bytes === 0 ? undefined : (1000 * bytes) / ms;
}

/** A copy is on the node until it is complete elsewhere. Only shown: a failure here must not disturb the drain. */
async function bytesLeftOn(search: Search, nodeId: string): Promise<number | undefined> {
  try {
    const { bytes } = await search.load.loadOf(nodeId);
    return Math.max(0, bytes - (await search.recovery.bytesInFlight()));
  } catch {
    return undefined;
  }
}

function finish(context: Context, drain: DecommissionCase, outcome: DecommissionOutcome): number {
  switch (outcome.kind) {
    case 'drained':
      context.log.info(
        `node ${drain.nodeId} is drained${drain.terminating === undefined ? ': it may be stopped' : ''}`,
      );
      return exitCodes.done;
    case 'refused':
      return refused(context, outcome.refusal);
    case 'stalled':
      context.log.error(`${renderRefusal(outcome.refusal, 'stalled')}${recordStays(drain)}`);
      return exitCodes.stalled;
    case 'timed-out':
      context.log.error(`timed out: ${outcome.because}.${recordStays(drain)}`);
      return exitCodes.timedOut;
  }
}

const recordStays = (drain: DecommissionCase) =>
  drain.withdrawOnGiveUp ? ' The shutdown was withdrawn.' : ' The shutdown record stays: the next run looks again.';

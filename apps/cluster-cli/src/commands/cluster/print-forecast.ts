import {
  type DecommissionFacts,
  type DecommissionStep,
  forecastDisk,
  forecastOf,
  type HostDrainEnd,
} from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { keyValues } from '../../render/table.ts';
import { bytesText, durationText } from '../../render/units.ts';
import { refused } from '../refused.ts';

/** Prints what a dry run found. Exit 0 when the node could go, 3 when not. */
export async function printForecast(
  context: Context,
  { drain, facts, step }: Extract<HostDrainEnd, { kind: 'forecast' }>,
): Promise<number> {
  const refusal = step.kind === 'done' && 'refusal' in step.outcome ? step.outcome.refusal : undefined;
  const forecast = {
    node: drain.nodeId,
    verdict: refusal === undefined ? verdictOf(step) : 'refused',
    because: refusal === undefined ? becauseOf(step) : `${refusal.name}: ${refusal.reason}`,
    would: (step.actions ?? []).map(({ kind }) => kind),
    ...volumeOf(facts),
    ...timeOf(facts, context.io.clock.now()),
  };
  await context.print(forecast, () => keyValues({ ...forecast, would: forecast.would.join(', ') || 'nothing' }));
  return refusal === undefined ? exitCodes.done : refused(context, refusal);
}

const registers = ({ actions = [] }: DecommissionStep) => actions.some(({ kind }) => kind === 'register-shutdown');

const verdictOf = (step: DecommissionStep) =>
  step.kind === 'done' ? step.outcome.kind : registers(step) ? 'would-drain' : 'would-wait';

function becauseOf(step: DecommissionStep): string {
  if (step.kind === 'done') return step.outcome.kind;
  return registers(step) ? 'green, quorum kept, every shard has a place' : step.because;
}

/** How long it would take, and how long it may. */
function timeOf(facts: DecommissionFacts, now: number) {
  if (facts.stage !== 'before' || facts.placement === undefined) return {};
  const { ms, bytesPerSecond } = forecastOf(facts, facts.placement);
  const allowedMs = facts.case.deadlineAt - now;
  return {
    at_most: Number.isFinite(bytesPerSecond) ? `${bytesText(bytesPerSecond)}/s for each node` : 'no limit',
    takes: durationText(ms),
    takes_seconds: Math.round(ms / 1000),
    allowed: durationText(allowedMs),
    ends_in_time: ms <= allowedMs,
  };
}

/** How much would have to move, and how much room there is. */
function volumeOf(facts: DecommissionFacts) {
  if (facts.stage !== 'before' || facts.placement === undefined) return {};
  const leaving = new Set(facts.records.map((record) => record.nodeId));
  const { bytesToMove, bytesFree } = forecastDisk({
    nodeId: facts.case.nodeId,
    topology: facts.topology,
    leaving,
    ...facts.placement,
  });
  const shards = facts.placement.copies.filter((copy) => copy.nodeId === facts.case.nodeId).length;
  return {
    shards,
    to_move: bytesText(bytesToMove),
    ...(bytesFree === undefined ? {} : { room_on_others: bytesText(bytesFree) }),
  };
}

import type { searchRoles } from '@drover/adapters/search/roles';
import { renderRefusal } from '@drover/core';
import {
  type DecommissionCase,
  type DecommissionFacts,
  type DecommissionStep,
  forecastDecommission,
  forecastDisk,
} from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printData } from '../../render/output.ts';
import { keyValues } from '../../render/table.ts';
import { bytesText } from '../../render/units.ts';

/** A dry run: everything is read and decided, nothing is changed. Exit 0 when the node could go, 3 when not. */
export async function printForecast(
  context: Context,
  search: ReturnType<typeof searchRoles>,
  drain: DecommissionCase,
): Promise<number> {
  const { facts, step } = await forecastDecommission({ clock: context.io.clock, search }, drain);
  const refusal = step.kind === 'done' && 'refusal' in step.outcome ? step.outcome.refusal : undefined;
  const forecast = {
    node: drain.nodeId,
    verdict: refusal === undefined ? verdictOf(step) : 'refused',
    because: refusal === undefined ? becauseOf(step) : `${refusal.name}: ${refusal.reason}`,
    would: (step.actions ?? []).map(({ kind }) => kind),
    ...volumeOf(facts),
  };
  await printData(
    forecast,
    () => keyValues({ ...forecast, would: forecast.would.join(', ') || 'nothing' }),
    context.format,
    context.io,
  );
  if (refusal === undefined) return exitCodes.done;
  context.log.error(renderRefusal(refusal));
  return exitCodes.refused;
}

const verdictOf = (step: DecommissionStep) =>
  step.kind === 'done'
    ? step.outcome.kind
    : (step.actions ?? []).some(({ kind }) => kind === 'register-shutdown')
      ? 'would-drain'
      : 'would-wait';

const becauseOf = (step: DecommissionStep) =>
  step.kind === 'wait'
    ? step.because.replace('shutdown registered', 'green, quorum kept, every shard has a place')
    : step.outcome.kind;

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

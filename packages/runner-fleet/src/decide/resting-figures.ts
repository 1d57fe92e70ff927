import { metrics } from '@drover/core/names/runner-fleet';
import type { GroupFacts } from '../model/fleet.ts';

/** Published always: alarms fire when the first two fall silent, and of the third a small number is the bad one. */
const always: readonly string[] = [metrics.idle, metrics.demandSignalAge, metrics.groupRoom];

/**
 * The figures that are published of a fleet in jobs mode. While no group has an instance and no figure is above zero the zeros are left out: a metric costs
 * by the hours in which it is published. Once anything goes on all are published, so that no alarm has gaps between its values. Pure.
 */
export function publishedFigures(
  figures: Readonly<Record<string, number>>,
  groups: readonly Pick<GroupFacts, 'instances'>[],
): Readonly<Record<string, number>> {
  const steady = Object.entries(figures).filter(([name]) => always.includes(name));
  const rests =
    groups.every(({ instances }) => instances.length === 0) &&
    Object.entries(figures).every(
      ([name, value]) => value === 0 || name === metrics.demandSignalAge || name === metrics.groupRoom,
    );
  return rests ? Object.fromEntries(steady) : figures;
}

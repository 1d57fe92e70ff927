import { metrics } from '@drover/core/names/runner-fleet';
import type { GroupFacts } from '../model/fleet.ts';

/** Of a fleet at rest this alone is published: an alarm fires when it falls silent. */
const steady = metrics.demandSignalAge;

/** Time between two publications of a fleet at rest: the alarm waits longer, also when a pass is a little late. */
export const restingEveryMs = 170_000;

/**
 * The figures that are published of a fleet in jobs mode; undefined: none now. While no group has an instance and no figure is above zero the zeros are
 * left out, since a metric costs by the hours in which it is published, and so do requests. Once anything goes on all are published, so that no alarm
 * has gaps between its values. Pure.
 */
export function publishedFigures(
  figures: Readonly<Record<string, number>>,
  groups: readonly Pick<GroupFacts, 'instances'>[],
  sincePublishedMs: number,
): Readonly<Record<string, number>> | undefined {
  const rests =
    groups.every(({ instances }) => instances.length === 0) &&
    Object.entries(figures).every(([name, value]) =>
      name === metrics.groupRoom ? value > 0 : value === 0 || name === steady,
    );
  if (!rests) return figures;
  const age = figures[steady];
  return age === undefined || sincePublishedMs < restingEveryMs ? undefined : { [steady]: age };
}

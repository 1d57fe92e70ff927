import type { RunnerCounts } from './count-runners.ts';

/** The inputs that bound how a fleet grows. */
export interface ScalingLimits {
  /** How many idle runners to keep. */
  readonly target: number;
  /** Most runners that one decision adds while none is idle. */
  readonly most: number;
}

/** The numbers published for the alarms that scale up. */
export interface Demand {
  readonly idle: number;
  /** How many runners to add to those in service, while none is idle. */
  readonly wanted: number;
}

/**
 * The number of runners that the fleet needs (docs/decisions/0028). While no runner is idle nothing shows how many jobs
 * wait; only the busy runners and the launches under way are known. Growth follows the former, up to the limit, and
 * waits for the latter: jobs of one burst
 * would be counted again with each instance that comes into service.
 *
 * Runners that the platform does not see are no demand. A few of them are failed hosts, which may be replaced; more
 * of them are trouble of the platform, in which a new instance would stay offline, too: those count as idle, up to the
 * target.
 */
export function decideDemand(counts: RunnerCounts, launching: number, { target, most }: ScalingLimits): Demand {
  const inTrouble = Math.max(0, counts.unseen - Math.max(1, Math.floor(counts.inService / 4)));
  const idle = Math.max(counts.idle, Math.min(target, counts.idle + inTrouble));
  // Not `busy`, which the platform shows up to a minute late: the host protects an instance as soon as it works.
  const working = counts.inService - counts.idle - counts.unseen;
  if (idle > 0 || working === 0 || launching > 0) return { idle, wanted: 0 };
  return { idle, wanted: Math.min(most, Math.max(target, Math.ceil((2 * most) / 3) + Math.ceil(working / 4))) };
}

import type { GroupFacts } from '../../model/fleet.ts';
import type { DemandStatistics, JobsMemory } from '../../model/jobs.ts';

export interface QuietFacts {
  readonly group: Pick<GroupFacts, 'minSize' | 'maxSize' | 'desiredCapacity' | 'instances' | 'fallback'>;
  readonly jobs: Pick<JobsMemory, 'statistics' | 'hosts' | 'interrupted' | 'quietSince'>;
  readonly idleTarget: number;
}

/** Windows are short after this long without host and job. */
export const shortAfterMs = 30 * 60_000;

/**
 * No host, no job, and none is wanted. A group that may have no instance is being taken down, which is a whole window's work; a parked
 * instance of a warm pool has no runner. Pure.
 */
export const isQuiet = ({
  group,
  jobs: { statistics, hosts = {}, interrupted = {} },
  idleTarget,
}: QuietFacts): boolean =>
  statistics !== undefined &&
  hasNoJob(statistics) &&
  Object.keys(hosts).length === 0 &&
  Object.values(interrupted).every(({ settled }) => settled !== undefined) &&
  group.instances.every(({ inWarmPool }) => inWarmPool) &&
  group.desiredCapacity === 0 &&
  (group.fallback?.desiredCapacity ?? 0) === 0 &&
  group.minSize === 0 &&
  group.maxSize > 0 &&
  idleTarget === 0;

/** Runners that the service still counts are no jobs. */
export const hasNoJob = ({ available, assigned, running, busy }: DemandStatistics): boolean =>
  available + assigned + running + busy === 0;

/** `short`: a look is enough, and the next one comes in a minute. Pure. */
export function decideWindow(facts: QuietFacts, now: number): 'short' | 'long' {
  const { quietSince } = facts.jobs;
  return quietSince !== undefined && now - quietSince >= shortAfterMs && isQuiet(facts) ? 'short' : 'long';
}

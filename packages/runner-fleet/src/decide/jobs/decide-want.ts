import type { GroupFacts } from '../../model/fleet.ts';
import type { DemandStatistics, JobNote } from '../../model/jobs.ts';
import { isPresent } from './decide-sizes.ts';
import { failureCountsMs } from './decide-spot.ts';
import { recentlyAssigned } from './note-events.ts';
import type { HostNotes } from './note-hosts.ts';

export interface WantFacts {
  readonly group: Pick<GroupFacts, 'minSize' | 'maxSize'>;
  readonly statistics: DemandStatistics;
  readonly jobs: Readonly<Record<string, JobNote>> | undefined;
  readonly hosts: HostNotes;
  readonly idleTarget: number;
  /** Instances in service that were made for idle mode: others are launched beside them. @default 0 */
  readonly ofIdleMode?: number;
  /** When the service said these numbers: they still count the jobs of hosts that have finished since. */
  readonly statisticsAt: number;
}

export interface Want {
  /** Number of jobs to launch instances for. */
  readonly launch: number;
  /** Number of instances to keep; idle ones above it may go. */
  readonly keep: number;
  /** Jobs that wait although as many runners have been idle for long: the service's number is in doubt. */
  readonly notTaken: number;
}

/** A job that waits is given to an idle runner within seconds. */
const longIdleMs = 15 * 60_000;

/** How many instances there should be. All inputs are levels. Pure. */
export function decideWant(facts: WantFacts, now: number): Want {
  const { group, statistics, jobs, hosts, idleTarget, statisticsAt, ofIdleMode = 0 } = facts;
  const { running } = statistics;
  const assigned = statistics.assigned === 0 ? unseenDemand(statistics, jobs, now) : statistics.assigned;
  const waiting = Math.max(0, assigned - running);
  const longIdle = Object.values(hosts).filter(({ is, since }) => is === 'idle' && now - since >= longIdleMs).length;
  const notTaken = waiting <= longIdle ? waiting : 0;
  const within = (count: number) => Math.min(group.maxSize, Math.max(group.minSize, count + idleTarget) + ofIdleMode);
  const served = Object.values(hosts).filter(({ is, since }) => is === 'finished' && since > statisticsAt).length;
  return { launch: within(Math.max(0, assigned - notTaken - served)), keep: within(assigned), notTaken };
}

/**
 * While the service says nothing its last numbers still count the jobs of hosts that have finished since, and a
 * replacement could not be registered: no more than these are replaced. Pure.
 */
export function wantWithoutNews({ minSize }: Pick<GroupFacts, 'minSize'>, idleTarget: number, notTaken = 0): Want {
  const least = Math.max(minSize, idleTarget);
  return { launch: least, keep: least, notTaken };
}

/**
 * Demand that zero assigned jobs may hide: events that the statistics do not show yet, and jobs that the service has
 * given up, which it gives out again when a runner of the scale set appears.
 */
const unseenDemand = ({ available }: DemandStatistics, jobs: WantFacts['jobs'], now: number): number =>
  Math.max(recentlyAssigned(jobs, now), Math.min(1, available));

/** Instances that serve or come. */
const present = (group: GroupFacts) => group.instances.filter(isPresent).length;

/** The group has fewer instances than it wants: launches are late, or fail. */
export const isShort = (group: GroupFacts): boolean => present(group) < group.desiredCapacity;

/**
 * How many runners the service may count on: what the group may have, or what it has while it cannot launch. One at least: a job that is
 * queued while 0 is announced never reaches the scale set. Only a group that may have none takes no job any more. Pure.
 */
export function decideCeiling(group: GroupFacts, launchFailedAt: number | undefined, now: number): number {
  const failing = launchFailedAt !== undefined && now - launchFailedAt < failureCountsMs;
  return failing && isShort(group) ? Math.min(group.maxSize, Math.max(1, present(group))) : group.maxSize;
}

import { type Clock, dayMs, type Logger } from '@drover/core';
import { metrics } from '@drover/core/names/runner-fleet';
import { countRunners } from '../decide/count-runners.ts';
import { recentBootFailures } from '../decide/decide-brake.ts';
import { listIsDue } from '../decide/decide-cadence.ts';
import { decideDemand, type ScalingLimits } from '../decide/decide-demand.ts';
import { type GroupFacts, waitsForLaunch, waitsForTermination } from '../model/fleet.ts';
import { allRunners } from '../model/memory.ts';
import type { FleetMemory, GroupReader, Metrics, RateLimitReader, RunnerDirectory, TransitionTimes } from '../ports.ts';

export interface MetricPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly group: GroupReader;
  readonly times: TransitionTimes;
  readonly runners: Pick<RunnerDirectory, 'list'> & RateLimitReader;
  readonly memory: FleetMemory;
  readonly metrics: Metrics;
  readonly limits: Omit<ScalingLimits, 'target'>;
  /** How many idle runners to keep at this time. */
  idleTarget(now: number): number;
  /** When the runner's version was released, if that is known. */
  readonly runnerReleasedAt?: number | undefined;
}

/** A launch that takes longer may be stuck: growth does not wait for it. */
const launchAllowanceMs = 10 * 60_000;

/** Publishes the idle count. A platform that cannot be read is an error, never a guess: the dead-man alarm sees the silence. */
export async function recordMetric(ports: MetricPorts): Promise<void> {
  const { runners: known, rateLimit, bootFailures, jobs } = await ports.memory.read();
  if (!listIsDue(known, rateLimit, ports.clock.now()))
    return ports.log.info('the list is not due: saving the platform budget');
  const [group, list] = await Promise.all([ports.group.read(), ports.runners.list(known)]);
  const budget = ports.runners.last();
  await ports.memory.update((memory) => ({
    ...memory,
    runners: list,
    ...(budget === undefined ? {} : { rateLimit: budget }),
  }));
  const now = ports.clock.now();
  const since = await waitingSince(ports, group);
  const ages = [...since.values()].map((startedAt) => now - startedAt);
  const ofJobsMode = jobs?.hosts ?? {};
  const launching = group.instances.filter(
    ({ id, lifecycleState, inWarmPool }) =>
      !(inWarmPool || id in ofJobsMode) &&
      lifecycleState.startsWith('Pending') &&
      now - (since.get(id) ?? now) < launchAllowanceMs,
  ).length;
  const counts = countRunners(group, allRunners(list), ofJobsMode);
  const target = ports.idleTarget(now);
  const demand = decideDemand(counts, launching, { ...ports.limits, target });
  await ports.metrics.put({
    [metrics.idle]: demand.idle,
    [metrics.wanted]: demand.wanted,
    [metrics.idleTarget]: target,
    [metrics.busy]: counts.busy,
    [metrics.offline]: counts.offline,
    [metrics.hookAge]: Math.round(Math.max(0, ...ages) / 1000),
    [metrics.bootFailures]: recentBootFailures(bootFailures, now).length,
    [metrics.missing]: counts.inService - counts.registeredInService,
    ...(ports.runnerReleasedAt === undefined
      ? {}
      : { [metrics.runnerAge]: Math.floor((now - ports.runnerReleasedAt) / dayMs) }),
    ...(budget === undefined ? {} : { [metrics.rateLimitRemaining]: budget.remaining }),
  });
  ports.log.info('metric', { ...counts, demand });
}

/** When each instance that waits in a hook began its transition. */
export async function waitingSince(
  { times }: Pick<MetricPorts, 'times'>,
  group: GroupFacts,
): Promise<ReadonlyMap<string, number>> {
  const waiting = group.instances.filter((instance) => waitsForLaunch(instance) || waitsForTermination(instance));
  return waiting.length === 0 ? new Map() : await times.startedAt(waiting.map(({ id }) => id));
}

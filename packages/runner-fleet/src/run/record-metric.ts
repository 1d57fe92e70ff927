import type { Clock, Logger } from '@drover/core';
import { metrics } from '@drover/core/names/runner-fleet';
import { countRunners } from '../decide/count-runners.ts';
import { listIsDue } from '../decide/decide-cadence.ts';
import { waitsForLaunch, waitsForTermination } from '../model/fleet.ts';
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
  /** When the runner's version was released, if that is known. */
  readonly runnerReleasedAt?: number | undefined;
}

const dayMs = 24 * 3_600_000;

/** Publishes the idle count. A platform that cannot be read is an error, never a guess: the dead-man alarm sees the silence. */
export async function recordMetric(ports: MetricPorts): Promise<void> {
  const { runners: known, rateLimit } = await ports.memory.read();
  if (!listIsDue(known, rateLimit, ports.clock.now()))
    return ports.log.info('the list is not due: saving the platform budget');
  const [group, list] = await Promise.all([ports.group.read(), ports.runners.list(known)]);
  const budget = ports.runners.last();
  await ports.memory.update((memory) => ({
    ...memory,
    runners: list,
    ...(budget === undefined ? {} : { rateLimit: budget }),
  }));
  const counts = countRunners(group, allRunners(list));
  const waiting = group.instances.filter((instance) => waitsForLaunch(instance) || waitsForTermination(instance));
  const hookAgeMs =
    waiting.length === 0
      ? 0
      : await oldest(
          ports,
          waiting.map(({ id }) => id),
        );
  await ports.metrics.put({
    [metrics.idle]: counts.idle,
    [metrics.busy]: counts.busy,
    [metrics.offline]: counts.offline,
    [metrics.hookAge]: Math.round(hookAgeMs / 1000),
    [metrics.missing]: counts.inService - counts.registeredInService,
    ...(ports.runnerReleasedAt === undefined
      ? {}
      : { [metrics.runnerAge]: Math.floor((ports.clock.now() - ports.runnerReleasedAt) / dayMs) }),
    ...(budget === undefined ? {} : { [metrics.rateLimitRemaining]: budget.remaining }),
  });
  ports.log.info('metric', { ...counts });
}

async function oldest(ports: MetricPorts, ids: readonly string[]): Promise<number> {
  const times = await ports.times.startedAt(ids);
  return Math.max(0, ...[...times.values()].map((startedAt) => ports.clock.now() - startedAt));
}

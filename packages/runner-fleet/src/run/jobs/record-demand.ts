import { metrics } from '@drover/core/names/runner-fleet';
import { recentBootFailures } from '../../decide/decide-brake.ts';
import { type MetricPorts, waitingSince } from '../record-metric.ts';

/** Publishes what the last window learned, and how old that is: numbers that are not known are not guessed. */
export async function recordDemand(ports: Omit<MetricPorts, 'runners' | 'limits' | 'runnerReleasedAt'>): Promise<void> {
  const [{ jobs, bootFailures }, group] = await Promise.all([ports.memory.read(), ports.group.read()]);
  const now = ports.clock.now();
  const ages = [...(await waitingSince(ports, group)).values()].map((startedAt) => now - startedAt);
  const { statistics, statisticsAt = 0, notTaken = 0 } = jobs ?? {};
  const demand: Readonly<Record<string, number>> =
    statistics === undefined
      ? {}
      : {
          [metrics.idle]: statistics.idle,
          [metrics.busy]: statistics.busy,
          [metrics.assignedJobs]: statistics.assigned,
          [metrics.runningJobs]: statistics.running,
          [metrics.waitingJobs]: Math.max(0, statistics.assigned - statistics.running),
          [metrics.jobsNotTaken]: notTaken,
          [metrics.demandSignalAge]: Math.round((now - statisticsAt) / 1000),
        };
  await ports.metrics.put({
    ...demand,
    [metrics.idleTarget]: ports.idleTarget(now),
    [metrics.hookAge]: Math.round(Math.max(0, ...ages) / 1000),
    [metrics.bootFailures]: recentBootFailures(bootFailures, now).length,
  });
  ports.log.info('metric', { ...statistics, desired: group.desiredCapacity });
}

import { metrics } from '@drover/core/names/runner-fleet';
import { recentBootFailures } from '../../decide/decide-brake.ts';
import { publishedFigures } from '../../decide/resting-figures.ts';
import { type GroupFacts, waitsForLaunch } from '../../model/fleet.ts';
import type { JobsMemory } from '../../model/jobs.ts';
import { type MetricPorts, waitingSince } from '../record-metric.ts';

export interface DemandMetricPorts extends Omit<MetricPorts, 'runners' | 'limits' | 'runnerReleasedAt'> {
  /** Of this process: another one publishes a fleet at rest once more. */
  readonly published: { at: number };
}

/** The ports by which one group is read. */
export type GroupMetricPorts = Omit<DemandMetricPorts, 'metrics' | 'published'>;

/** Publishes what the last window learned, and how old that is: numbers that are not known are not guessed. */
export async function recordDemand(ports: DemandMetricPorts): Promise<void> {
  const { figures, ...facts } = await readDemand(ports);
  await publish(ports, figures, [facts.group]);
  sayDemand(ports, facts);
}

export async function publish(
  { clock, metrics, published }: Pick<DemandMetricPorts, 'clock' | 'metrics' | 'published'>,
  figures: Readonly<Record<string, number>>,
  groups: readonly Pick<GroupFacts, 'instances'>[],
): Promise<void> {
  const now = clock.now();
  const due = publishedFigures(figures, groups, now - published.at);
  if (due === undefined) return;
  await metrics.put(due);
  published.at = now;
}

export function sayDemand(
  { log }: Pick<DemandMetricPorts, 'log'>,
  { jobs, group }: { readonly jobs: JobsMemory | undefined; readonly group: GroupFacts },
): void {
  log.info('metric', { ...jobs?.statistics, desired: group.desiredCapacity });
}

/** The figures of one group, and what they are from. */
export async function readDemand(ports: GroupMetricPorts, newer = (jobs?: JobsMemory) => jobs) {
  const [{ jobs: written, bootFailures }, group] = await Promise.all([ports.memory.read(), ports.group.read()]);
  const jobs = newer(written);
  const now = ports.clock.now();
  const since = await waitingSince(ports, group);
  const ages = [...since.values()].map((startedAt) => now - startedAt);
  const launching = group.instances.filter(waitsForLaunch).map(({ id }) => now - (since.get(id) ?? now));
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
  const figures = {
    ...demand,
    [metrics.idleTarget]: ports.idleTarget(now),
    [metrics.hookAge]: Math.round(Math.max(0, ...ages) / 1000),
    [metrics.bootFailures]: recentBootFailures(bootFailures, now).length,
  };
  return { figures, jobs, group, oldestLaunchMs: Math.max(0, ...launching) };
}

import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { dayMs } from '@drover/core';
import { groupDimension, metricNamespace, metrics } from '@drover/core/names/runner-fleet';
import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import type { FleetSample } from '../../api.ts';
import type { Source } from '../rota.ts';

const periodMs = 300_000;

type Counts = Readonly<Record<keyof typeof measures, number | undefined>>;

/** The metrics of the chart: those of Auto Scaling, and those that the fleet's functions publish. */
const measures = {
  desired: 'GroupDesiredCapacity',
  max: 'GroupMaxSize',
  inService: 'GroupInServiceInstances',
  booting: 'GroupPendingInstances',
  draining: 'GroupTerminatingInstances',
  busy: metrics.busy,
  idle: metrics.idle,
} as const;

/** The last day of the fleet from CloudWatch: what happened before the console was opened. */
export function pastReadings({ aws, groupName, config }: OpenFleet, now: () => number) {
  const counts = new Map<number, Partial<Counts>>();

  async function read(): Promise<void> {
    const to = now();
    for (const [name, MetricName] of Object.entries(measures)) {
      const { Datapoints = [] } = await aws.cloudwatch.send(
        new GetMetricStatisticsCommand({
          Namespace: MetricName.startsWith('Group') ? 'AWS/AutoScaling' : metricNamespace(config.vendor),
          MetricName,
          Dimensions: [{ Name: groupDimension, Value: groupName }],
          StartTime: new Date(Math.floor((to - dayMs) / periodMs) * periodMs),
          EndTime: new Date(to),
          Period: periodMs / 1_000,
          Statistics: ['Average'],
        }),
      );
      for (const { Timestamp, Average } of Datapoints) {
        const at = Timestamp!.getTime();
        counts.set(at, { ...counts.get(at), [name]: Math.round(Average ?? 0) });
      }
    }
    for (const at of counts.keys()) if (at < to - dayMs - periodMs) counts.delete(at);
  }

  const source: Source = { what: "CloudWatch: the last day's capacity", everyMs: periodMs, read };
  return {
    sources: [source],
    /** Oldest first, a sample in five minutes. */
    samples: (): readonly FleetSample[] =>
      [...counts].sort(([a], [b]) => a - b).flatMap(([at, count]) => sampleOf(at, count)),
  };
}

/** None for a moment of which Auto Scaling has no figures: the group did not exist. */
export function sampleOf(at: number, count: Partial<Counts>): readonly FleetSample[] {
  const { desired, max, inService, booting = 0, draining = 0, busy = 0, idle = 0 } = count;
  if (desired === undefined || max === undefined || inService === undefined) return [];
  // A runner that drains may still be busy: it is counted once.
  const work = Math.min(busy, inService + draining);
  const ready = Math.min(idle, Math.max(0, inService - work));
  const drains = Math.min(draining, inService + draining - work - ready);
  const away = inService + draining - work - ready - drains;
  return [{ at, busy: work, idle: ready, booting, draining: drains, away, queued: undefined, desired, max }];
}

import { alarmName, clusterDimension, groupNames, metricNamespace, metrics } from '@drover/core/names/search-cluster';
import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Metric, type MetricOptions, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmRule } from '../alarms.ts';
import type { ClusterAddresses } from './addresses.ts';
import { growsByItself } from './permissions.ts';
import { type NodeKind, nodeKinds, type SearchClusterSettings } from './settings.ts';

const { LESS_THAN_THRESHOLD } = ComparisonOperator;
const { BREACHING } = TreatMissingData;

/** The masters publish every five minutes. */
const period = Duration.minutes(5);
/** Each node publishes when its configuration timer runs, every half an hour: a shorter period would have gaps. */
const timerPeriod = Duration.hours(1);

/** How a metric is read unless the caller says otherwise: by its worst value. */
const usual: Readonly<Record<string, MetricOptions>> = {
  [metrics.certificateDays]: { statistic: Stats.MINIMUM, period: timerPeriod },
};

/** A metric that the nodes publish about their cluster, by its resource name. */
export const clusterMetric = (name: string, metricName: string, options: MetricOptions = {}): Metric =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    statistic: Stats.MAXIMUM,
    period,
    ...usual[metricName],
    ...options,
    dimensionsMap: { [clusterDimension]: name, ...options.dimensionsMap },
  });

/** Where Elasticsearch stops placing shards (reference, `cluster.routing.allocation.disk.watermark.low`). */
const lowWatermarkPercent = 85;
/** A healthy heap falls below it at each collection. */
const fullHeapPercent = 90;
const longDrainSeconds = 4 * 3600;
const certificateDays = 30;
/** Spreading the masters takes less, unless it cannot be done. */
const spreadMinutes = 30;

/** Every alarm of a search cluster; each means that an operator has to act. */
export const clusterAlarmRules = (
  settings: SearchClusterSettings,
  { balancers }: ClusterAddresses,
): readonly AlarmRule[] => [
  ...healthRules(settings),
  ...nodeRules(settings),
  ...drillRules(settings),
  ...growthRules(settings),
  ...nodeKinds.map(hostRule(settings, balancers)),
];

function healthRules({ resourceName: clusterName, oldSnapshotSeconds }: SearchClusterSettings): AlarmRule[] {
  return [
    {
      name: alarmName.notGreen(clusterName),
      description: 'the cluster is not green for 10 minutes, or no master says so: run drover cluster doctor',
      metric: clusterMetric(clusterName, metrics.notGreen),
      periods: 2,
      // Without an elected master the metric is not published.
      missing: BREACHING,
    },
    ...(oldSnapshotSeconds === undefined ? [] : [snapshotRule(clusterName, oldSnapshotSeconds)]),
    {
      name: alarmName.diskAboveWatermark(clusterName),
      description: 'a data node is above the low watermark: run drover cluster grow, or raise data_count',
      metric: clusterMetric(clusterName, metrics.diskUsed),
      threshold: lowWatermarkPercent,
      periods: 2,
    },
    {
      name: alarmName.writesBlocked(clusterName),
      description: 'Elasticsearch refuses to write to an index because a disk is too full: run drover cluster doctor',
      metric: clusterMetric(clusterName, metrics.blockedIndices),
    },
    {
      name: alarmName.heapTooFull(clusterName),
      description: `the heap of a node has been more than ${fullHeapPercent} % full for half an hour: run drover cluster doctor`,
      metric: clusterMetric(clusterName, metrics.heapUsed),
      threshold: fullHeapPercent,
      periods: 6,
    },
    {
      name: alarmName.requestsRejected(clusterName),
      description: 'nodes have refused writes or searches with status 429 for 15 minutes: run drover cluster doctor',
      metric: clusterMetric(clusterName, metrics.rejected),
      periods: 3,
    },
  ];
}

/** The most frequent policy has missed one. */
const snapshotRule = (clusterName: string, threshold: number): AlarmRule => ({
  name: alarmName.snapshotTooOld(clusterName),
  description: 'the last good snapshot is too old, or there is none: run cluster-cli snapshots policy --check',
  metric: clusterMetric(clusterName, metrics.snapshotAge),
  threshold,
  // A new cluster takes its first snapshot at the next full hour.
  periods: 18,
  missing: BREACHING,
});

/** A backup counts when it was restored. The age shows drills that fail, wait too long or are not tried at all. */
function drillRules({
  resourceName: clusterName,
  restoreDrillDays,
  oldSnapshotSeconds,
}: SearchClusterSettings): AlarmRule[] {
  if (restoreDrillDays === 0 || oldSnapshotSeconds === undefined) return [];
  return [
    {
      name: alarmName.restoreDrillFailed(clusterName),
      description: 'the last restore drill failed, so snapshots may be damaged: run cluster-cli snapshots drill',
      metric: clusterMetric(clusterName, metrics.drillFailed),
    },
    {
      name: alarmName.restoreDrillTooOld(clusterName),
      description:
        'no restore drill has succeeded for two intervals, or no master reports them any more: drover cluster doctor says why',
      metric: clusterMetric(clusterName, metrics.drillAge),
      threshold: 2 * restoreDrillDays * 86_400,
      periods: 18,
      // A new cluster has its first master, and the first age, after a while.
      reportsSilence: true,
    },
  ];
}

/** The alarm of a cluster whose groups grow by themselves: one of them may not grow any more. */
const growthRules = (settings: SearchClusterSettings): AlarmRule[] =>
  growsByItself(settings)
    ? [
        {
          name: alarmName.growthAtMaximum(settings.resourceName),
          description:
            'the disks of a group have been above the low watermark for an hour, and it has all that max_count and data_volume_max_size allow: raise them, or delete indices',
          metric: clusterMetric(settings.resourceName, metrics.atMaximum),
          periods: 2,
        },
      ]
    : [];

function nodeRules({ resourceName: clusterName }: SearchClusterSettings): AlarmRule[] {
  return [
    {
      name: alarmName.drainTooLong(clusterName),
      description:
        'a node drains for hours: drover cluster doctor says how long it takes and which shard has no place to go',
      metric: clusterMetric(clusterName, metrics.drain),
      threshold: longDrainSeconds,
    },
    {
      name: alarmName.retainedInstance(clusterName),
      description: 'a node could not be drained and is kept: decommission it by hand, then drover cluster release',
      metric: clusterMetric(clusterName, metrics.retained),
    },
    {
      name: alarmName.mastersInOneZone(clusterName),
      description: `a majority of the masters has been in one zone for ${spreadMinutes} minutes, and the cluster would not survive its loss: run drover cluster doctor`,
      metric: clusterMetric(clusterName, metrics.mastersInOneZone),
      periods: spreadMinutes / period.toMinutes(),
    },
    {
      name: alarmName.rollStopped(clusterName),
      description:
        'a node could not take the software of the stack, and no other node is begun: run drover cluster doctor',
      metric: clusterMetric(clusterName, metrics.rollStopped),
    },
    {
      name: alarmName.certificateExpires(clusterName),
      description: "a node's certificate or its authority expires soon: replace the node, or the authority",
      metric: clusterMetric(clusterName, metrics.certificateDays),
      operator: LESS_THAN_THRESHOLD,
      threshold: certificateDays,
    },
  ];
}

const hostRule =
  ({ resourceName }: SearchClusterSettings, balancers: ClusterAddresses['balancers']) =>
  (kind: NodeKind): AlarmRule => {
    return {
      name: alarmName.unhealthyHosts(groupNames[kind](resourceName)),
      description: 'the load balancer calls a node unhealthy for 15 minutes: see its log',
      metric: balancers[kind].metricUnhealthyHosts(),
      periods: 3,
    };
  };

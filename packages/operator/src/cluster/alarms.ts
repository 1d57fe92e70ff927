import { alarmName, groupNames } from '@drover/core/names/search-cluster';
import type { AlarmMeaning } from '../doctor/alarm-checks.ts';

type Kind = keyof typeof alarmName;

/** Every alarm of a search cluster. */
export const alarmMeanings: Readonly<Record<Kind, AlarmMeaning>> = {
  notGreen: {
    checks: ['cluster-not-green', 'quorum-lost'],
    fix: 'the cluster is green again, and the alarm goes off within minutes; if it does not, no master publishes: journalctl -t cluster-cli on the masters',
  },
  snapshotTooOld: {
    checks: ['snapshot-too-old'],
    fix: 'cluster-cli snapshots policy --check; the alarm goes off after the next good snapshot',
  },
  diskAboveWatermark: {
    checks: ['disk-above-watermark', 'writes-blocked'],
    fix: 'drover cluster grow, or raise data_count and deploy',
  },
  writesBlocked: {
    checks: ['writes-blocked'],
    fix: 'no index is blocked any more, and the alarm goes off within minutes',
  },
  heapTooFull: {
    checks: [],
    fix: 'a node has been short of heap for half an hour: GET /_nodes/hot_threads names the work; fewer or larger shards, or a larger instance_type',
  },
  requestsRejected: {
    checks: [],
    fix: 'nodes refused writes or searches for 15 minutes (status 429): GET /_cat/thread_pool/write,search?v names the nodes; slow clients down, or raise data_count',
  },
  growthAtMaximum: {
    checks: ['growth-at-maximum', 'disk-above-watermark'],
    fix: 'raise max_count of the group in node_groups, or data_volume_max_size, and deploy; or delete indices',
  },
  drainTooLong: {
    checks: ['drain-running-long', 'drain-cannot-end', 'decommission-refused'],
    fix: 'cluster-cli api GET /_nodes/shutdown shows what each drain waits for',
  },
  mastersInOneZone: {
    checks: ['masters-in-one-zone', 'zone-without-nodes'],
    fix: 'nothing while the cluster is green: the elected master spreads them again, and the alarm goes off within the hour',
  },
  retainedInstance: {
    checks: ['retained-instance'],
    fix: 'the instance is released, and the alarm goes off within minutes',
  },
  rollStopped: {
    checks: ['software-roll'],
    fix: 'every node has the software of the stack, and the alarm goes off within minutes',
  },
  certificateExpires: { checks: ['certificate-expires'], fix: 'see docs/how-to/upgrade.md' },
  restoreDrillFailed: { checks: ['restore-drill'], fix: 'cluster-cli snapshots drill on a master says why' },
  restoreDrillTooOld: { checks: ['restore-drill'], fix: 'see docs/how-to/backups.md, "Restore drill"' },
  unhealthyHosts: {
    checks: ['cluster-not-green', 'missing-nodes', 'quorum-lost', 'decommission-refused'],
    fix: 'the targets of the load balancer (EC2 console, Target Groups) name the node; on it: journalctl -u elasticsearch',
  },
};

/** The names of a cluster's alarms with their meanings. */
export const clusterAlarms = (name: string): ReadonlyMap<string, AlarmMeaning> =>
  new Map(
    Object.entries(alarmMeanings).flatMap(([kind, meaning]) => {
      const subjects = kind === 'unhealthyHosts' ? [groupNames.master(name), groupNames.data(name)] : [name];
      return subjects.map((subject) => [alarmName[kind as Kind](subject), meaning] as const);
    }),
  );

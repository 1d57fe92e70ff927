import { drillObject, hooks, metricNamespace, metrics, watchFunction } from '@drover/core/names/search-cluster';
import type { ClusterInputs } from '@drover/stage/cluster-template';
import type { ClusterStage } from '@drover/stage/testing';
import { UpgradeDriver } from '../scenarios/upgrade-driver.ts';
import type { ClusterTrouble } from './cluster-trouble.ts';
import { lostShardTrouble } from './lost-shards-trouble.ts';
import { runPrintedOnCluster } from './printed-commands.ts';
import { targetsOf } from './targets-of.ts';

const gib = 1024 ** 3;
const small: ClusterInputs = { masterCount: 1, dataCount: 2 };
const large: ClusterInputs = { masterCount: 3, dataCount: 3 };

/** The cluster that the troubles without inputs share. */
export const sharedCluster = small;

const dataOf = ({ deployed, groups }: ClusterStage) => deployed.inService(groups.data);
const masterOf = ({ deployed, groups }: ClusterStage) => deployed.inService(groups.master)[0]!;

const setReplicas = ({ deployed }: ClusterStage, count: number) =>
  deployed.search('PUT', '/docs/_settings', { index: { number_of_replicas: count } });

const setRecovery = ({ deployed }: ClusterStage, rate: string | null) =>
  deployed.search('PUT', '/_cluster/settings', { transient: { 'indices.recovery.max_bytes_per_sec': rate } });

/** An index that takes days to move. */
async function slowIndex(stage: ClusterStage): Promise<void> {
  await setRecovery(stage, '1b');
  const settings = { number_of_shards: dataOf(stage).length, number_of_replicas: 0 };
  await stage.deployed.search('PUT', '/lone', { settings });
  await stage.pass(1);
  stage.deployed.cluster.inflate('lone', 300_000);
  await stage.pass(1);
}

/** An index whose only copy may be on this node alone. */
async function pin(stage: ClusterStage, instanceId: string): Promise<void> {
  const placed = { 'index.routing.allocation.require._name': stage.deployed.nodeOf(instanceId).name };
  await stage.deployed.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0, ...placed } });
  await stage.pass(1);
}

const unpin = ({ deployed }: ClusterStage) =>
  deployed.search('PUT', '/solo/_settings', { index: { 'routing.allocation.require._name': null } });

/** The printed command names the index whose shard has no place; its reason is what the operator corrects. */
async function correct(stage: ClusterStage, fix: string, index: string, change: () => Promise<unknown>): Promise<void> {
  const explained = await runPrintedOnCluster(stage, fix, masterOf(stage));
  if (!explained.includes(index)) throw new Error(`the printed command does not name ${index}: ${explained}`);
  await change();
}

/** Sets the elected master's note of restore drills, which it publishes with its next metrics. */
async function noteDrill(stage: ClusterStage, change: object): Promise<void> {
  const Body = Buffer.from(JSON.stringify({ since: stage.clock.now(), runs: 1, ...change }));
  await stage.deployed.aws('s3', 'PutObject', { Bucket: stage.deployed.facts.state_bucket, Key: drillObject, Body });
  await stage.pass(11);
}

function loseZone(stage: ClusterStage, zone: string): void {
  stage.fault({ service: 'autoscaling', operation: 'Launch', subject: zone, effect: { kind: 'error' } });
  for (const { id, availabilityZone, state } of stage.world.observe.instances())
    if (availabilityZone === zone && state === 'running') stage.world.machines.kill(id);
}

/** One way into each finding of `drover cluster doctor`, and the way out that it prints. */
export const clusterTroubles: readonly ClusterTrouble[] = [
  {
    check: 'decommission-refused',
    verdict: 'problem',
    says: /is yellow while in Terminating:Wait: i-.* of logs-data/,
    async cause(stage) {
      await setReplicas(stage, 3);
      await stage.deployed.terminate(dataOf(stage)[0]!);
      await stage.pass(12);
    },
    alarms: ['cluster_not_green'],
    fix: /make the cluster green \(see cluster-not-green\): the next scheduled run drains the node/,
    remedy: (stage) => setReplicas(stage, 1),
  },
  {
    check: 'cluster-not-green',
    verdict: 'problem',
    says: /yellow, 2 shards are unassigned; replica \[docs\]\[0\]/,
    async cause(stage) {
      await setReplicas(stage, 3);
      await stage.pass(1);
    },
    fix: /cluster-cli cluster allocation-explain names the shard and the decision of each node/,
    remedy: (stage, fix) => correct(stage, fix, 'docs', () => setReplicas(stage, 1)),
  },
  lostShardTrouble,
  {
    check: 'missing-nodes',
    verdict: 'problem',
    says: /i-\w+ of logs-data is in service, but its node is not in the cluster/,
    async cause(stage) {
      stage.world.machines.crash(dataOf(stage)[0]!);
      await stage.pass(2);
    },
    alarms: ['unhealthy_hosts'],
    fix: /on the instance: journalctl -u elasticsearch/,
  },
  {
    check: 'missing-nodes',
    verdict: 'problem',
    says: /1 of 2 data nodes is missing in the group logs-data, whose process Launch is suspended/,
    async cause(stage) {
      const AutoScalingGroupName = stage.groups.data;
      await stage.deployed.aws('autoscaling', 'SuspendProcesses', {
        AutoScalingGroupName,
        ScalingProcesses: ['Launch'],
      });
      stage.world.machines.kill(dataOf(stage)[0]!);
      await stage.pass(30);
    },
    fix: /^aws autoscaling resume-processes --auto-scaling-group-name logs-data --scaling-processes Launch$/,
    remedy: (stage, fix) => runPrintedOnCluster(stage, fix),
  },
  {
    check: 'retained-instance',
    verdict: 'problem',
    says: /i-\w+ \(.*\); its node \S+ holds \d+ shards/,
    async cause(stage) {
      const [InstanceId] = dataOf(stage) as [string];
      await pin(stage, InstanceId);
      await stage.deployed.terminate(InstanceId);
      await stage.pass(7);
      await stage.deployed.aws('autoscaling', 'CompleteLifecycleAction', {
        AutoScalingGroupName: stage.groups.data,
        LifecycleHookName: hooks.terminating.name,
        InstanceId,
        LifecycleActionResult: 'ABANDON',
      });
      await stage.until('it is retained', () => stage.deployed.stateOf(InstanceId) === 'Terminating:Retained');
      await stage.until('it was replaced', () => dataOf(stage).length === 2);
      await stage.pass(10);
    },
    alarms: ['retained_instance'],
    fix: /cluster-cli cluster decommission-node --reason retained; then: drover cluster release i-\w+$/,
    async remedy(stage, fix) {
      await unpin(stage);
      await runPrintedOnCluster(stage, fix, /release (i-\w+)/.exec(fix)?.[1]);
      await stage.deployed.search('DELETE', '/solo');
    },
  },
  {
    check: 'drain-cannot-end',
    verdict: 'problem',
    says: /ip-\S+ takes about \d+ h .* of 48 h/,
    cause: slowIndex,
    fix: /raise indices_recovery_max_bytes_per_sec/,
    async remedy(stage) {
      await setRecovery(stage, null);
      await stage.deployed.search('DELETE', '/lone');
    },
  },
  {
    check: 'shutdown-records',
    verdict: 'problem',
    says: /ip-\S+ has a shutdown record \(REMOVE since .*reason "by hand"\), a drain: .*\(11 min old\)/,
    async cause(stage) {
      const { id } = stage.deployed.nodeOf(dataOf(stage)[0]!);
      await stage.deployed.search('PUT', `/_nodes/${id}/shutdown`, { type: 'remove', reason: 'by hand' });
      await stage.pass(11);
    },
    fix: /on any node: cluster-cli api DELETE \/_nodes\/\S+\/shutdown$/,
    remedy: (stage, fix) => runPrintedOnCluster(stage, fix, masterOf(stage)),
  },
  {
    check: 'node-without-requests',
    verdict: 'problem',
    says: /i-\w+ of logs-data is in service and no target of its load balancer/,
    async cause(stage) {
      const [InstanceId] = dataOf(stage) as [string];
      const { arn: TargetGroupArn } = await targetsOf(stage.deployed, stage.groups.data);
      // Its function does not run, and nothing else registers it.
      stage.fault({ service: 'lambda', operation: watchFunction('logs'), effect: { kind: 'throttle' } });
      await stage.deployed.aws('elasticloadbalancing', 'DeregisterTargets', {
        TargetGroupArn,
        Targets: [{ Id: InstanceId }],
      });
      await stage.pass(11);
    },
    fix: /aws elbv2 register-targets --target-group-arn \S+ --targets Id=i-\w+$/,
    remedy: (stage, fix) => runPrintedOnCluster(stage, fix),
  },
  {
    check: 'drain-running-long',
    verdict: 'problem',
    says: /i-\w+ for 4 h.*: .*shard \[0\] \[primary\] of index \[solo\]/,
    async cause(stage) {
      const [leaving] = dataOf(stage) as [string];
      await pin(stage, leaving);
      await stage.deployed.terminate(leaving);
      await stage.pass(4 * 60 + 20);
    },
    alarms: ['drain_too_long'],
    fix: /mend what keeps the named shard here/,
    async remedy(stage) {
      await unpin(stage);
      await stage.pass(15);
      await stage.deployed.search('DELETE', '/solo');
    },
  },
  {
    check: 'drain-running-long',
    verdict: 'problem',
    says: /ip-\S+ \(\d shards left.*\) for 4 h/,
    async cause(stage) {
      await slowIndex(stage);
      const holder = dataOf(stage).find((id) => stage.deployed.nodeOf(id).copies.size > 0)!;
      await stage.deployed.terminate(holder);
      await stage.pass(4 * 60 + 25);
    },
    alarms: ['drain_too_long'],
    fix: /cluster-cli api GET \/_nodes\/shutdown shows what each drain waits for/,
    async remedy(stage, fix) {
      await runPrintedOnCluster(stage, fix, masterOf(stage));
      await setRecovery(stage, null);
      await stage.deployed.search('DELETE', '/lone');
    },
  },
  {
    check: 'snapshot-too-old',
    verdict: 'problem',
    says: /hourly-snapshots: the last successful one is \d+ (min|h).* old, and the newest failed: .+/,
    async cause(stage) {
      stage.fault({ service: 's3', operation: 'PutObject', effect: { kind: 'error', status: 503 } });
      await stage.pass(250);
    },
    alarms: ['snapshot_too_old'],
    fix: /cluster-cli snapshots policy --check; cluster-cli snapshots create-repository backups BUCKET verifies/,
    remedy: (stage, fix) =>
      runPrintedOnCluster(stage, fix.replace('BUCKET', stage.deployed.facts.snapshots_bucket!), masterOf(stage)),
  },
  {
    check: 'restore-drill',
    verdict: 'problem',
    says: /the last one failed/,
    cause: (stage) => noteDrill(stage, { failedAt: stage.clock.now() }),
    alarms: ['restore_drill_failed'],
    fix: /cluster-cli snapshots drill on a master says why/,
    remedy: (stage, fix) => runPrintedOnCluster(stage, fix, masterOf(stage)),
  },
  {
    check: 'certificate-expires',
    verdict: 'problem',
    says: /expires in 9 days/,
    async cause(stage) {
      const Dimensions = [{ Name: 'ClusterName', Value: 'logs' }];
      const MetricData = [{ MetricName: metrics.certificateDays, Value: 9.5, Dimensions }];
      await stage.deployed.aws('monitoring', 'PutMetricData', { Namespace: metricNamespace, MetricData });
      await stage.pass(1);
    },
    alarms: ['certificate_expires'],
    fix: /the half-hourly configuration run of a node renews it before/,
    remedy: (stage) => stage.pass(65),
  },
  {
    check: 'writes-blocked',
    verdict: 'problem',
    says: /Elasticsearch refuses to write to .*heavy: ip-.* is 9\d % full/,
    async cause(stage) {
      const { deployed } = stage;
      await deployed.search('PUT', '/heavy', { settings: { number_of_shards: 1, number_of_replicas: 2 } });
      await stage.pass(1);
      for (const id of dataOf(stage)) deployed.nodeOf(id).setFreeBytes(2 * gib);
      await stage.pass(12);
    },
    alarms: ['disk_above_watermark', 'writes_blocked'],
    fix: /delete indices, or raise data_count and deploy\. Elasticsearch writes again as soon as the disks are below 90 %$/,
    async remedy(stage) {
      await stage.deployed.search('DELETE', '/heavy');
      for (const id of dataOf(stage)) stage.deployed.nodeOf(id).setFreeBytes(60 * gib);
    },
  },
  {
    check: 'disk-above-watermark',
    verdict: 'problem',
    says: /ip-.* is 9\d % full/,
    async cause(stage) {
      const { deployed } = stage;
      await deployed.search('PUT', '/heavy', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
      await stage.pass(1);
      // Below the flood stage.
      deployed.nodeOf(dataOf(stage)[0]!).setFreeBytes(8 * gib);
      await stage.pass(12);
    },
    alarms: ['disk_above_watermark'],
    fix: /raise data_count or data_volume_size, or delete indices/,
    async remedy(stage) {
      await stage.deployed.search('DELETE', '/heavy');
      // The embedded cloud does not connect the size of an index with the space on the disk.
      for (const id of dataOf(stage)) stage.deployed.nodeOf(id).setFreeBytes(60 * gib);
    },
  },
  {
    check: 'elastic-password',
    verdict: 'problem',
    says: /returned 401 to the password in the secret/,
    async cause(stage) {
      const SecretId = stage.deployed.facts.elastic_secret;
      await stage.deployed.aws('secretsmanager', 'PutSecretValue', { SecretId, SecretString: 'by-hand' });
    },
    fix: /move AWSCURRENT back to the version that lets elastic in, then: cluster-cli passwd --username elastic$/,
    async remedy(stage, fix) {
      const SecretId = stage.deployed.facts.elastic_secret;
      const { VersionIdsToStages: versions } = (await stage.deployed.aws('secretsmanager', 'DescribeSecret', {
        SecretId,
      })) as { VersionIdsToStages: Record<string, string[]> };
      const idOf = (label: string) => Object.keys(versions).find((id) => versions[id]!.includes(label));
      await stage.deployed.aws('secretsmanager', 'UpdateSecretVersionStage', {
        SecretId,
        VersionStage: 'AWSCURRENT',
        MoveToVersionId: idOf('AWSPREVIOUS'),
        RemoveFromVersionId: idOf('AWSCURRENT'),
      });
      await runPrintedOnCluster(stage, fix, masterOf(stage));
    },
  },
  {
    check: 'launch-failing',
    verdict: 'problem',
    says: /launches of logs-data failed in eu-west-1\w.*sufficient capacity.*; 1 instance is missing/s,
    async cause(stage) {
      stage.fault({ service: 'autoscaling', operation: 'Launch', effect: { kind: 'error' } });
      stage.world.machines.kill(dataOf(stage)[0]!);
      await stage.pass(30);
    },
    fix: /wait; or give several instance types, or subnets in more zones, and deploy/,
    withinMinutes: 120,
  },
  {
    check: 'zone-without-nodes',
    verdict: 'problem',
    says: /no instance in service in eu-west-1a, and launches fail there/,
    inputs: large,
    async cause(stage) {
      loseZone(stage, 'eu-west-1a');
      await stage.pass(30);
    },
    fix: /if it is back, terminate one data node of a zone that has two/i,
    async remedy(stage) {
      await stage.until('three data nodes', () => dataOf(stage).length === 3);
      await stage.pass(60);
      const zoneOf = (id: string) => stage.world.observe.instances().find((one) => one.id === id)!.availabilityZone;
      const zones = dataOf(stage).map(zoneOf);
      const crowded = dataOf(stage).find((id) => zones.filter((zone) => zone === zoneOf(id)).length > 1);
      await stage.deployed.terminate(crowded!);
    },
    withinMinutes: 180,
  },
  {
    check: 'masters-in-one-zone',
    verdict: 'problem',
    says: /eu-west-1\w/,
    inputs: large,
    async cause(stage) {
      loseZone(stage, 'eu-west-1a');
      await stage.until('three masters', () => {
        const masters = stage.deployed.inService(stage.groups.master);
        return masters.length === 3 && masters.every((id) => stage.world.machines.get(id) !== undefined);
      });
      await stage.pass(75);
    },
    alarms: ['masters_in_one_zone'],
    fix: /wait half an hour; while the zone has no capacity it is tried about every 20 minutes/,
    withinMinutes: 180,
  },
  {
    check: 'no-room-for-lost-zone',
    verdict: 'problem',
    says: /losing eu-west-1\w needs .* GiB in the other zones, .*: .* GiB find no place/,
    inputs: large,
    async cause(stage) {
      const { deployed } = stage;
      await deployed.search('PUT', '/wide', { settings: { number_of_shards: 3, number_of_replicas: 1 } });
      await stage.pass(1);
      deployed.cluster.inflate('wide', 30 * gib);
      for (const id of dataOf(stage)) deployed.nodeOf(id).setFreeBytes(20 * gib);
      await stage.pass(1);
    },
    fix: /raise data_volume_size or data_count, or delete indices/,
    async remedy(stage) {
      await stage.deployed.search('DELETE', '/wide');
      for (const id of dataOf(stage)) stage.deployed.nodeOf(id).setFreeBytes(80 * gib);
    },
  },
  {
    check: 'heap-too-large',
    verdict: 'notice',
    says: /pointers are not compressed: \S+ has 62 GiB/,
    inputs: { ...small, instanceTypeData: 'r6i.4xlarge', heapMaxGib: 'none' },
    cause: async () => {},
    fix: /set heap_max_gib to 30 or leave it out, deploy, then: drover cluster roll/,
    async remedy(stage) {
      await stage.deploy({ ...small, instanceTypeData: 'r6i.4xlarge' });
      await stage.drive(new UpgradeDriver(stage.deployed).roll(), 12 * 3_600_000);
    },
  },
  {
    check: 'alarm-on',
    verdict: 'problem',
    says: /on: cluster_not_green-logs/,
    async cause(stage) {
      // No master can publish that it is green.
      stage.fault({ service: 'monitoring', operation: 'PutMetricData', effect: { kind: 'error', status: 503 } });
      await stage.pass(60);
    },
    alarms: ['cluster_not_green'],
    fix: /the cluster is green again, and the alarm goes off within minutes; if it does not, no master publishes/,
  },
];

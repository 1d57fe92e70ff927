import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import {
  dataVolumes,
  drillNotes,
  groupProcesses,
  remoteAgents,
  roomNotes,
  softwarePointer,
  spreadNotes,
} from '@drover/adapters/aws';
import { type LastVotes, pressureReader, readLastVotes } from '@drover/adapters/elasticsearch';
import { describeError, hourMs } from '@drover/core';
import { clusterDimension, metricNamespace, metrics } from '@drover/core/names/search-cluster';
import {
  type ClusterHealth,
  type DataVolume,
  type DrillState,
  type GroupFrame,
  type GroupInstance,
  type NodeDisk,
  type RoomNote,
  type ShardCopy,
  type ShutdownRecord,
  type SoftwarePointer,
  type SpreadNote,
  type TargetGroup,
  type Topology,
  terminatingWait,
  type VotingFacts,
} from '@drover/search-cluster';
import type { AwarenessSettings, DiskSettings, RecoverySettings } from '@drover/search-cluster/ports';
import { type AlarmFacts, readAlarms } from '../../doctor/alarm-facts.ts';
import { type GroupFacts, readGroup } from '../../doctor/group-facts.ts';
import { type SilentAgent, silentOnes } from '../../doctor/silent-agents.ts';
import { activitiesOf } from '../../groups.ts';
import { operatorSsm } from '../../operator-ssm.ts';
import { clusterAlarms } from '../alarms.ts';
import { objectCalls } from '../object-calls.ts';
import type { OpenCluster } from '../open-cluster.ts';
import { readAuthority, type ShownAuthority } from '../shown-authority.ts';
import { type LostShards, readLost } from './lost/lost-facts.ts';
import { type RotationFacts, readRotation } from './rotation/facts.ts';
import { type LimitedPolicy, overdueMs } from './snapshots/overdue-limit.ts';
import type { Read } from './when-read.ts';

/** Each node reports its certificate every half hour, and the elected master the rest every five minutes. */
const lookBackMs = hourMs;

interface WaitingNode extends GroupInstance {
  /** When its termination began. */
  readonly since: number | undefined;
}

interface NodeHeap {
  readonly node: string;
  readonly bytes: number;
  /** The JVM's own report; `unknown` on one that is not HotSpot. */
  readonly compressedPointers: string;
}

export interface SnapshotPolicyFacts {
  readonly id: string;
  /** A policy that has made none yet is as old as itself. */
  readonly changedAt: number | undefined;
  readonly lastSuccessAt: number | undefined;
  readonly lastFailure: string | undefined;
  /** When it is overdue without a success; undefined on a server that does not keep it. */
  readonly overdueMs: number | undefined;
}

/** Everything that the checks look at, read once. */
export interface ClusterFacts {
  readonly now: number;
  readonly stack: string;
  readonly clusterName: string;
  readonly masterGroup: string;
  readonly url: string;
  readonly health: Read<ClusterHealth>;
  /** Why the first unassigned shard is not assigned; undefined when none is. */
  readonly unassigned: string | undefined;
  /** The first index that has lost every copy of a shard; undefined when none has. */
  readonly lost: Read<LostShards | undefined>;
  readonly topology: Read<Topology>;
  /** Of Elasticsearch, of the nodes in the cluster. */
  readonly versions: Read<readonly string[]>;
  readonly shards: Read<readonly ShardCopy[]>;
  readonly records: Read<readonly ShutdownRecord[]>;
  /** The masters that vote. */
  readonly voting: Read<VotingFacts>;
  /** Those that voted when there was a master; undefined while one is elected. */
  readonly lastVotes: Read<LastVotes> | undefined;
  readonly disks: Read<readonly NodeDisk[]>;
  readonly lowWatermark: string | undefined;
  /** Indices that Elasticsearch does not write to since a disk was above the flood stage. */
  readonly blocked: Read<readonly string[]>;
  /** The volumes for data of the data nodes; none where the data is on root volumes. */
  readonly volumes: Read<readonly DataVolume[]>;
  /** The groups with their limits. */
  readonly frames: Read<readonly GroupFrame[]>;
  /** Since when the disks of groups that grow by themselves are too full; undefined when they never were. */
  readonly room: Read<RoomNote | undefined>;
  readonly recovery: Read<RecoverySettings>;
  readonly allocation: Read<DiskSettings & AwarenessSettings>;
  readonly policies: Read<readonly SnapshotPolicyFacts[]>;
  readonly licence: Read<{ readonly type: string; readonly status: string }>;
  readonly heaps: Read<readonly NodeHeap[]>;
  /** Whether the password of the secret lets the superuser in. */
  readonly login: Read<boolean>;
  readonly instances: readonly GroupInstance[];
  /** Those of the cluster that exist. */
  readonly alarms: readonly AlarmFacts[];
  /** In service, but Systems Manager does not reach them. */
  readonly silent: Read<readonly SilentAgent[]>;
  /** The group of the masters and that of the data nodes. */
  readonly groups: readonly GroupFacts[];
  /** The last attempt to spread the masters over the zones again; undefined when there was none. */
  readonly spread: Read<SpreadNote | undefined>;
  /** The targets of the load balancers. */
  readonly targets: Read<readonly TargetGroup[]>;
  /** The software that the nodes should have; undefined for a stack whose user data says so. */
  readonly software: Read<SoftwarePointer | undefined>;
  /** In `Terminating:Wait`. */
  readonly terminating: readonly WaitingNode[];
  /** The fewest days that a certificate of any node is still good; undefined when none has reported. */
  readonly certificateDays: number | undefined;
  readonly authority: Read<ShownAuthority>;
  /** Passwords and tokens that are replaced by themselves. */
  readonly rotation: Read<RotationFacts>;
  /** The elected master's last report on restore drills, and its note of them. */
  readonly drill: {
    readonly ageSeconds: number | undefined;
    readonly failed: number | undefined;
    readonly note: Read<DrillState | undefined>;
  };
}

export async function gatherFacts(cluster: OpenCluster, now: number): Promise<ClusterFacts> {
  const { search, groups, stack, clusterName, url } = cluster;
  const instances = await cluster.instances.ofGroups(groups.all);
  const health = await read(() => search.health.health());
  // One that does not respond is asked no more: every further question would wait for its own timeout.
  const ask = <T>(act: () => Promise<T>): Promise<Read<T>> =>
    health.kind === 'failed' ? Promise.resolve(health) : read(act);
  const settings = await ask(() => search.disks.settings());
  const shards = await ask(() => search.shards.shards());
  const isRed = health.kind === 'read' && health.value.status === 'red';
  return {
    now,
    stack,
    clusterName,
    masterGroup: groups.master,
    url,
    health,
    unassigned: await explainUnassigned(cluster, health),
    topology: await ask(() => search.topology.topology()),
    versions: await ask(async () => (await search.upgrade.nodes()).map(({ version }) => version)),
    shards,
    lost: isRed && shards.kind === 'read' ? await read(() => readLost(cluster, shards.value)) : none,
    records: await ask(() => search.records.list()),
    voting: await ask(() => search.voting.read()),
    // The one question that every node can be asked without a master.
    lastVotes: health.kind === 'failed' ? await read(() => readLastVotes(cluster.client)) : undefined,
    disks: await ask(() => search.disks.disks()),
    lowWatermark: settings.kind === 'read' && settings.value.enabled ? settings.value.low : undefined,
    blocked: await ask(() => pressureReader(cluster.client).blockedIndices()),
    volumes: await read(() => dataVolumes(cluster.nodeAws).of(idsOf(instances, groups.data))),
    frames: await read(() => groupProcesses(cluster.nodeAws).frames(groups.all)),
    room: await read(() => roomNotes({ s3: objectCalls(cluster.aws) }, cluster.stateBucket()).read()),
    recovery: settings,
    allocation: settings,
    policies: await ask(() => readPolicies(cluster)),
    licence: await ask(() => readLicence(cluster)),
    heaps: await ask(() => readHeaps(cluster)),
    login: secretRefused(cluster, health) ? { kind: 'read', value: false } : await ask(async () => true),
    instances,
    alarms: await readAlarms(cluster.aws.cloudwatch, [...clusterAlarms(clusterName).keys()]),
    silent: await read(() => silentIn(cluster, instances)),
    groups: await readGroups(cluster, now),
    targets: await read(() => cluster.targets.ofGroups(groups.all)),
    spread: await read(() => spreadNotes({ s3: objectCalls(cluster.aws) }, cluster.stateBucket()).read()),
    software: await read(() => softwarePointer({ s3: objectCalls(cluster.aws) }, cluster.stateBucket()).read()),
    terminating: await terminatingOnes(cluster, instances),
    certificateDays: lowest(await lastHour(cluster, metrics.certificateDays, now)),
    authority: await read(() => readAuthority(cluster)),
    rotation: await read(() => readRotation(cluster)),
    drill: {
      ageSeconds: (await lastHour(cluster, metrics.drillAge, now)).at(-1),
      failed: (await lastHour(cluster, metrics.drillFailed, now)).at(-1),
      note: await read(() => drillNotes({ s3: objectCalls(cluster.aws) }, cluster.stateBucket()).read()),
    },
  };
}

const none = { kind: 'read', value: undefined } as const;

async function silentIn({ aws }: OpenCluster, instances: readonly GroupInstance[]): Promise<readonly SilentAgent[]> {
  const ids = instances
    .filter(({ lifecycleState }) => lifecycleState === 'InService')
    .map(({ instanceId }) => instanceId);
  return silentOnes(ids, await remoteAgents(operatorSsm(aws), ids));
}

async function read<T>(act: () => Promise<T>): Promise<Read<T>> {
  try {
    return { kind: 'read', value: await act() };
  } catch (error) {
    return { kind: 'failed', message: describeError(error) };
  }
}

async function explainUnassigned({ client }: OpenCluster, health: Read<ClusterHealth>): Promise<string | undefined> {
  if (health.kind === 'failed' || health.value.unassignedShards === 0) return undefined;
  const answer = await read(() => client.json({ method: 'GET', path: '/_cluster/allocation/explain' }, [400]));
  if (answer.kind === 'failed') return undefined;
  const { index, shard, primary, allocate_explanation } = answer.value as Readonly<Record<string, unknown>>;
  if (index === undefined) return undefined;
  const copy = primary === true ? 'primary' : 'replica';
  return `${copy} [${String(index)}][${String(shard)}]: ${String(allocate_explanation ?? 'see cluster-cli cluster allocation-explain')}`;
}

async function readPolicies({ client }: OpenCluster): Promise<readonly SnapshotPolicyFacts[]> {
  const answer = (await client.json({ method: 'GET', path: '/_slm/policy' })) as Readonly<Record<string, SlmPolicy>>;
  return Object.entries(answer).map(
    ([id, { policy, last_success: success, last_failure: failure, modified_date_millis }]) => ({
      id,
      overdueMs: overdueMs(id, policy),
      changedAt: modified_date_millis,
      lastSuccessAt: success?.time,
      lastFailure: (failure?.time ?? 0) > (success?.time ?? 0) ? (failure?.details ?? 'no details') : undefined,
    }),
  );
}

interface SlmPolicy {
  readonly policy?: LimitedPolicy;
  readonly modified_date_millis?: number;
  readonly last_success?: { readonly time?: number };
  readonly last_failure?: { readonly time?: number; readonly details?: string };
}

const idsOf = (instances: readonly GroupInstance[], group: string) =>
  instances.filter(({ groupName }) => groupName === group).map(({ instanceId }) => instanceId);

async function readLicence({ client }: OpenCluster) {
  const { license } = (await client.json({ method: 'GET', path: '/_license' })) as {
    license: { type: string; status: string };
  };
  return { type: license.type, status: license.status };
}

async function readHeaps({ client }: OpenCluster): Promise<readonly NodeHeap[]> {
  const fields = ['name', 'jvm.using_compressed_ordinary_object_pointers', 'jvm.mem.heap_max_in_bytes'];
  const path = `/_nodes/jvm?filter_path=${fields.map((field) => `nodes.*.${field}`).join()}`;
  const { nodes } = (await client.json({ method: 'GET', path })) as {
    nodes: Record<string, { name: string; jvm: JvmInfo }>;
  };
  return Object.values(nodes).map(({ name, jvm }) => ({
    node: name,
    bytes: jvm.mem.heap_max_in_bytes,
    compressedPointers: jvm.using_compressed_ordinary_object_pointers,
  }));
}

interface JvmInfo {
  readonly using_compressed_ordinary_object_pointers: string;
  readonly mem: { readonly heap_max_in_bytes: number };
}

/** Doctor logs in for each question, so the first one shows whether it can. */
const secretRefused = ({ triedPassword }: OpenCluster, health: Read<unknown>) =>
  health.kind === 'failed' ? /returned 401/.test(health.message) : triedPassword() === 'AWSPREVIOUS';

async function terminatingOnes(cluster: OpenCluster, instances: readonly GroupInstance[]): Promise<WaitingNode[]> {
  const waiting = instances.filter(({ lifecycleState }) => lifecycleState === terminatingWait);
  const told: WaitingNode[] = [];
  for (const instance of waiting) told.push({ ...instance, since: await terminationBegan(cluster, instance) });
  return told;
}

/** No API returns when a hook began; the activity's start does. */
export async function terminationBegan(
  { aws }: OpenCluster,
  { groupName, instanceId }: Pick<GroupInstance, 'groupName' | 'instanceId'>,
) {
  for await (const { Description, StartTime } of activitiesOf(aws.autoscaling, groupName))
    if (Description === `Terminating EC2 instance: ${instanceId}`) return StartTime?.getTime();
  return undefined;
}

/** The lowest of the values, if there are any. */
const lowest = (values: readonly number[]) => (values.length === 0 ? undefined : Math.min(...values));

/** The values of a metric within the last hour, the oldest first. */
async function lastHour({ aws, clusterName }: OpenCluster, metric: string, now: number): Promise<readonly number[]> {
  const { Datapoints = [] } = await aws.cloudwatch.send(
    new GetMetricStatisticsCommand({
      Namespace: metricNamespace,
      MetricName: metric,
      Dimensions: [{ Name: clusterDimension, Value: clusterName }],
      StartTime: new Date(now - lookBackMs),
      EndTime: new Date(now),
      Period: 60,
      Statistics: ['Minimum'],
    }),
  );
  return Datapoints.toSorted((a, b) => Number(a.Timestamp) - Number(b.Timestamp)).flatMap(
    ({ Minimum }) => Minimum ?? [],
  );
}

async function readGroups({ aws, groups }: OpenCluster, now: number): Promise<readonly GroupFacts[]> {
  const read: GroupFacts[] = [];
  for (const name of groups.all) read.push(await readGroup(aws.autoscaling, name, now));
  return read;
}

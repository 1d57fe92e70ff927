/** What the use cases need of the world, one narrow role each. Adapters implement them; every call may fail. */
import type { InitialMaster } from './decide/launch/bootstrap.ts';
import type { AwaitedDeployment, LaunchNote } from './model/deployment.ts';
import type { ClusterHealth } from './model/health.ts';
import type { GroupInstance, GroupMember, HookFacts, HookResult } from './model/lifecycle.ts';
import type { DrillContent, DrillState, LifecycleState, RecoveryNote } from './model/recovery.ts';
import type { NodeVerdict, ShardCopy, ShardName } from './model/shard.ts';
import type { ShutdownRecord } from './model/shutdown.ts';
import type {
  PolicyRuns,
  RepositoryVerification,
  SlmPolicy,
  SnapshotContent,
  SnapshotFacts,
} from './model/snapshot.ts';
import type { NodeDisk, NodeRecovery, Topology, VotingFacts } from './model/topology.ts';

// ---- Elasticsearch ---------------------------------------------------------------------------------------------------

export interface ClusterHealthReader {
  health(): Promise<ClusterHealth>;
}

export interface TopologyReader {
  topology(): Promise<Topology>;
  /** Id of the node that answers. */
  localNodeId(): Promise<string>;
}

export interface ShutdownRecords {
  /** Every record, of absent nodes too. */
  list(): Promise<readonly ShutdownRecord[]>;
  /** Registers the removal of a node, or changes its record's reason. */
  register(nodeId: string, reason: string): Promise<void>;
  /** Registers the restart of a node, whose copies are waited for as long as `delayMs`. */
  registerRestart(nodeId: string, reason: string, delayMs: number): Promise<void>;
  /** Deletes the record; a record that is not there is no failure. */
  withdraw(nodeId: string): Promise<void>;
}

/** The history of operations that lets a copy which was away catch up without copying its files. */
export interface ShardHistory {
  /** Writes what is in memory to the disks of all nodes. */
  flush(): Promise<void>;
  /** How far the primaries' leases for the copies on a node are behind. */
  leaseLags(nodeId: string): Promise<readonly LeaseLag[]>;
}

export interface LeaseLag {
  readonly index: string;
  readonly shard: number;
  readonly maxSeqNo: number;
  /** Operations since the lease was last renewed; undefined when the node has no lease. */
  readonly behind: number | undefined;
}

/** What the node of this host says of itself. Fails while it does not answer. */
export interface LocalNode {
  identity(): Promise<NodeIdentity>;
}

export interface NodeIdentity {
  readonly nodeId: string;
  /** Undefined while it is in no cluster. */
  readonly clusterUuid: string | undefined;
  readonly version: string;
}

/** The Elasticsearch process of this host. */
export interface SearchProcess {
  stop(): Promise<void>;
  /** Does nothing while it runs. */
  start(): Promise<void>;
}

/** What this host remembers over a restart of its node. */
export interface RestartNotes {
  /** Undefined when no restart is under way. */
  read(): Promise<NodeIdentity | undefined>;
  write(identity: NodeIdentity | undefined): Promise<void>;
}

export interface ShardLister {
  shards(): Promise<readonly ShardCopy[]>;
}

/** What one node holds, cheap enough to ask at every poll. */
export interface NodeLoadReader {
  loadOf(nodeId: string): Promise<{ readonly shards: number; readonly bytes: number }>;
}

export interface AllocationExplainer {
  /** What every other node says to the shard. */
  explain(shard: ShardName): Promise<readonly NodeVerdict[]>;
}

export interface DiskReader {
  disks(): Promise<readonly NodeDisk[]>;
  /** Read with one request: together they say where shards may go and how fast. */
  settings(): Promise<DiskSettings & RecoverySettings>;
}

/** The settings of recoveries as Elasticsearch writes them. */
export interface RecoverySettings {
  /** `indices.recovery.max_bytes_per_sec` */
  readonly maxBytesPerSec: string | undefined;
  /** `cluster.routing.allocation.node_concurrent_incoming_recoveries`, or what sets both directions */
  readonly concurrentIncoming: string | undefined;
  readonly concurrentOutgoing: string | undefined;
}

/** The settings of disk-based allocation as Elasticsearch writes them. */
export interface DiskSettings {
  readonly enabled: boolean;
  readonly low: string | undefined;
  readonly lowMaxHeadroom: string | undefined;
}

export interface VotingExclusions {
  read(): Promise<VotingFacts>;
  /** Takes a node out of voting; an answer is the proof that it is out. */
  exclude(nodeId: string): Promise<void>;
  /** Clears the whole list. */
  clear(): Promise<void>;
}

export interface RecoveryReader {
  recoveriesTo(nodeId: string): Promise<NodeRecovery>;
  /** What recoveries that still run have copied, in the whole cluster. */
  bytesInFlight(): Promise<number>;
}

export interface FailedShardRetry {
  retryFailedShards(): Promise<void>;
}

export interface SnapshotRepositories {
  exists(repository: string): Promise<boolean>;
  register(repository: string, bucket: string, readOnly?: boolean): Promise<void>;
  verify(repository: string): Promise<RepositoryVerification>;
}

export interface Snapshots {
  start(repository: string, snapshot: string): Promise<void>;
  get(repository: string, snapshot: string): Promise<SnapshotFacts>;
}

export interface SnapshotCatalog {
  content(repository: string, snapshot: string): Promise<SnapshotContent>;
  /** The newest first; more than a repository keeps by its policies. */
  list(repository: string): Promise<readonly SnapshotContent[]>;
}

export interface SnapshotRestorer {
  restore(repository: string, snapshot: string, plan: RestorePlan): Promise<void>;
  /** Names of all open indices. */
  openIndices(): Promise<readonly string[]>;
  /** Of these data streams, those that no template matches: they cannot roll over. */
  withoutTemplate(dataStreams: readonly string[]): Promise<readonly string[]>;
  /** How far the primaries of the named indices have come back from the snapshot. */
  progress(indices: readonly string[]): Promise<RestoreProgress>;
}

export interface RestorePlan {
  /** Indices and data streams; none when only features or the global state come back. */
  readonly indices: readonly string[];
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly rename: Renaming | undefined;
  /** Data streams under the names that they will have. */
  readonly dataStreams: readonly string[];
  /** Indices under the names that they will have, those of data streams and features too. */
  readonly restored: readonly string[];
  /** Settings of the restored indices. @default those of the snapshot, with their aliases */
  readonly settings?: RestoreSettings;
}

/** A regular expression and what takes the place of its matches, as Elasticsearch reads them. */
export interface Renaming {
  readonly pattern: string;
  readonly replacement: string;
}

export interface RestoreSettings {
  readonly set: Readonly<Record<string, string | number | boolean>>;
  readonly ignore: readonly string[];
  readonly aliases: boolean;
}

export interface RestoreProgress {
  readonly shards: number;
  readonly done: number;
  readonly unassigned: number;
  readonly bytesTotal: number;
  readonly bytesRecovered: number;
}

/** What a cluster holds, as a recovery asks for it. */
export interface ClusterContents {
  /** Every index and data stream, hidden ones too. */
  names(): Promise<{ readonly indices: readonly string[]; readonly dataStreams: readonly string[] }>;
  /** Primaries of these indices that are not started, and the indices of those that no node takes. */
  missingPrimaries(
    indices: readonly string[],
  ): Promise<{ readonly arriving: number; readonly failed: readonly string[] }>;
  /** Flat. */
  persistentSettings(): Promise<Readonly<Record<string, unknown>>>;
  resetSettings(keys: readonly string[]): Promise<void>;
  counts(): Promise<ContentCounts>;
}

/** Users and roles without the built-in ones. */
export interface ContentCounts {
  readonly documents: number;
  readonly users: number;
  readonly roles: number;
  readonly templates: number;
  readonly ilmPolicies: number;
  readonly slmPolicies: number;
}

/** Index and snapshot lifecycle management. */
export interface LifecycleManagement {
  state(): Promise<LifecycleState>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The progress of recoveries, by the cluster's UUID. */
export interface RecoveryNotes {
  read(clusterUuid: string): Promise<RecoveryNote | undefined>;
  write(clusterUuid: string, note: RecoveryNote): Promise<void>;
}

/** The indices of a restore drill, and what they are compared with. */
export interface DrillIndices {
  /** Names of the indices that drills have made. */
  names(): Promise<readonly string[]>;
  /** Documents by index. */
  documents(): Promise<ReadonlyMap<string, number>>;
  /** Bytes by index of a snapshot. */
  sizes(repository: string, snapshot: string): Promise<ReadonlyMap<string, number>>;
  /** Undefined when there is no such index. */
  content(index: string): Promise<DrillContent | undefined>;
  /** Deletes an index of a drill; any other name is refused. */
  remove(index: string): Promise<void>;
}

export interface DrillNotes {
  read(): Promise<DrillState | undefined>;
  write(state: DrillState): Promise<void>;
}

export interface SnapshotPolicies {
  list(): Promise<Readonly<Record<string, SlmPolicy>>>;
  put(id: string, policy: SlmPolicy): Promise<void>;
  retentionSchedule(): Promise<string | undefined>;
  setRetentionSchedule(schedule: string): Promise<void>;
}

/** Settings of the whole cluster that outlive its restart. */
export interface ClusterSettings {
  /** Undefined when it is not set. */
  persistent(name: string): Promise<string | undefined>;
  setPersistent(name: string, value: string): Promise<void>;
}

export interface SnapshotHistory {
  /** Of every policy; none when there is no policy. */
  policyRuns(): Promise<readonly PolicyRuns[]>;
}

export interface ElectedMaster {
  /** Fails while there is none. */
  masterNodeId(): Promise<string>;
}

export interface UserPasswords {
  /** Changes a user's password as the user who is logged in. */
  change(username: string, password: string): Promise<void>;
  /**
   * Stores the password with which the user logs in already, so that all nodes have the same one. Fails when it lets the user in
   * no more: a change that somebody else has made is never undone.
   */
  store(username: string, password: string): Promise<void>;
  /** Makes a user that is not built in, or gives it another password and exactly these roles. */
  put(username: string, password: string, roles: readonly string[]): Promise<void>;
  /** Whether this password lets the user in; fails when Elasticsearch cannot tell. */
  letsIn(username: string, password: string): Promise<boolean>;
}

/** Tokens of Kibana's service account. */
export interface ServiceTokens {
  /** Makes a token and returns its value, which is never shown again. */
  create(name: string): Promise<string>;
  letsIn(token: string): Promise<boolean>;
}

export interface FormedCluster {
  /** UUID of the cluster that the local node is in; undefined when it is in none, or does not answer. */
  clusterUuid(): Promise<string | undefined>;
}

// ---- AWS -------------------------------------------------------------------------------------------------------------

/** What an instance can ask about itself without any permission. */
export interface InstanceMetadata {
  /** Where the instance is going: already `InService` while launch hooks are open. Undefined outside a group. */
  targetLifecycleState(): Promise<string | undefined>;
  instanceId(): Promise<string>;
  instanceType(): Promise<string>;
}

export interface GroupMembership {
  /** Undefined when the instance is in no group. */
  memberOf(instanceId: string): Promise<GroupMember | undefined>;
}

export interface LifecycleHook {
  describe(member: GroupMember, hookName: string): Promise<HookFacts>;
  /** `not-waiting`: the instance has left the wait already. */
  heartbeat(member: GroupMember, hookName: string): Promise<HookAnswer>;
  complete(member: GroupMember, hookName: string, result: HookResult): Promise<HookAnswer>;
}
export type HookAnswer = 'accepted' | 'not-waiting';

export interface InstanceRefresh {
  cancel(groupName: string): Promise<'cancelled' | 'none-active'>;
}

export interface InstanceTags {
  set(instanceId: string, tags: Readonly<Record<string, string>>): Promise<void>;
}

/** The instances of a cluster, over both groups. */
export interface GroupInstances {
  ofGroups(groupNames: readonly string[]): Promise<readonly GroupInstance[]>;
  /** When an instance of these groups was last terminated; undefined when none was. */
  lastTerminationAt(groupNames: readonly string[]): Promise<number | undefined>;
}

/** Processes of Auto Scaling that are switched off for a group. */
export interface GroupProcesses {
  /** Of the groups that exist. */
  suspended(
    groupNames: readonly string[],
  ): Promise<readonly { readonly groupName: string; readonly processes: readonly string[] }[]>;
  suspend(groupName: string, process: string): Promise<void>;
}

export interface RetainedInstances {
  /** Ends an instance that its termination hook retained. */
  release(instanceId: string): Promise<void>;
}

/** Numbers that alarms watch. */
export interface ClusterMetrics {
  put(clusterName: string, values: Readonly<Record<string, number>>): Promise<void>;
}

export interface SecretVersions {
  /** Undefined when no version has the stage. */
  read(secretId: string, stage: SecretStage): Promise<SecretVersion | undefined>;
  /** Stores a new version under the stage `AWSPENDING` only. */
  putPending(secretId: string, value: string): Promise<void>;
  /** Moves `AWSCURRENT` to the version and takes `AWSPENDING` off it. */
  promote(secretId: string, pending: SecretVersion, current: SecretVersion | undefined): Promise<void>;
}
export type SecretStage = 'AWSCURRENT' | 'AWSPENDING';
export interface SecretVersion {
  readonly id: string;
  readonly value: string;
}

/** What all masters must agree on before there is a cluster that could keep it. */
export interface StateObjects {
  /** Undefined when it does not exist. */
  read(name: StateObject): Promise<string | undefined>;
  /** Answers whether it was created; false when somebody had created it. */
  create(name: StateObject, text: string): Promise<boolean>;
}
export type StateObject = 'initialMasters' | 'formed' | 'superuserStored';

export interface AwaitedDeployments {
  /** Undefined when none has ever waited. */
  read(): Promise<AwaitedDeployment | undefined>;
  write(deployment: AwaitedDeployment): Promise<void>;
  /** Tells CloudFormation how the wait ended; a reason is why it failed. */
  answer(deployment: AwaitedDeployment, failure?: string): Promise<void>;
}

export interface LaunchNotes {
  /** Of all instances that EC2 still shows, those that have ended within the hour too. */
  notes(): Promise<readonly LaunchNote[]>;
}

export interface MasterInstances {
  /** Masters of this cluster that run and are not on their way out. */
  visible(): Promise<readonly InitialMaster[]>;
}

// ---- the host --------------------------------------------------------------------------------------------------------

/** Keeps two runs of a command on one host apart; the kernel frees it when the process dies. */
export interface HostLock {
  /** Undefined when another process holds it. */
  acquire(name: string): Promise<HeldLock | undefined>;
}
export interface HeldLock {
  release(): Promise<void>;
}

/**
 * The ports of the use cases, one narrow role each; those of snapshots and restores are in snapshot-ports.ts. Adapters
 * implement them; every call may fail.
 */
import type { NodeGroup } from '@drover/core/names/node-groups';
import type { InitialMaster } from './decide/launch/bootstrap.ts';
import type { AwaitedDeployment, LaunchNote } from './model/deployment.ts';
import type { RoomNote } from './model/growth/room.ts';
import type { ClusterHealth } from './model/health.ts';
import type { GroupInstance, GroupMember, HookFacts, HookResult } from './model/lifecycle.ts';
import type { NodeVerdict, ShardCopy, ShardName } from './model/shard.ts';
import type { ShutdownRecord } from './model/shutdown.ts';
import type { Software, SoftwareReport } from './model/software.ts';
import type { GroupFrame, SpreadNote } from './model/spread.ts';
import type { NodeDisk, NodeRecovery, Topology, VotingFacts } from './model/topology.ts';
import type { TargetGroup, TrafficFacts, TrafficNote } from './model/traffic.ts';
import type { DataVolume } from './model/volume.ts';

// ---- Elasticsearch ---------------------------------------------------------------------------------------------------

export interface ClusterHealthReader {
  health(): Promise<ClusterHealth>;
}

export interface TopologyReader {
  topology(): Promise<Topology>;
  /** Id of the node that responds. */
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

/** The node of this host, by its own account. Fails while it does not respond. */
export interface LocalNode {
  identity(): Promise<NodeIdentity>;
}

export interface NodeIdentity {
  readonly nodeId: string;
  /** Undefined while it is in no cluster. */
  readonly clusterUuid: string | undefined;
  readonly version: string;
}

/** The nodes of this host's cluster as its members list them, whether or not its own node is one; none without a response. */
export interface ClusterMembers {
  members(): Promise<readonly ClusterMember[]>;
}

export interface ClusterMember {
  readonly id: string;
  readonly version: string;
}

/** The Elasticsearch process of this host. */
export interface SearchProcess {
  stop(): Promise<void>;
  /** Does nothing while it runs. */
  start(): Promise<void>;
}

/** This host's memory over a restart of its node. */
export interface RestartNotes {
  /** Undefined when no restart is under way. */
  read(): Promise<NodeIdentity | undefined>;
  write(identity: NodeIdentity | undefined): Promise<void>;
}

/** The requests that reach the node of this host through its load balancer. It asks; a function outside acts. */
export interface OwnTraffic {
  /** Undefined when no load balancer sends it any. */
  read(): Promise<TrafficFacts | undefined>;
  /** Asks to get no requests. */
  ask(note: TrafficNote): Promise<void>;
  /** It may get requests again; does nothing if nothing was asked. */
  over(): Promise<void>;
}

export interface ShardLister {
  shards(): Promise<readonly ShardCopy[]>;
}

/** Reads what one node holds, cheap enough for every poll. */
export interface NodeLoadReader {
  loadOf(nodeId: string): Promise<{ readonly shards: number; readonly bytes: number }>;
}

export interface AllocationExplainer {
  /** Each other node's verdict on the shard. */
  explain(shard: ShardName): Promise<readonly NodeVerdict[]>;
}

export interface DiskReader {
  disks(): Promise<readonly NodeDisk[]>;
  /** Read with one request: together they say where shards may go and how fast. */
  settings(): Promise<DiskSettings & RecoverySettings & AwarenessSettings>;
}

/** How hard one node is pressed. */
export interface NodePressure {
  readonly nodeId: string;
  readonly heapPercent: number;
  /** Writes and searches that it has refused since its start, because its queues were full. */
  readonly rejected: number;
}

export interface PressureReader {
  pressure(): Promise<readonly NodePressure[]>;
  /** Indices that Elasticsearch does not write to, because a disk is too full. */
  blockedIndices(): Promise<readonly string[]>;
}

/** Refusals as they were counted at one time, by node. */
export interface CountedRejections {
  readonly at: number;
  readonly byNode: Readonly<Record<string, number>>;
}

export interface RejectionNote {
  read(): Promise<CountedRejections | undefined>;
  write(counted: CountedRejections): Promise<void>;
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

/** Settings by which copies are counted for each zone, a lost one included. */
export interface AwarenessSettings {
  /** `cluster.routing.allocation.awareness.force.zone.values`; none: awareness is not forced */
  readonly forcedZones: readonly string[];
}

export interface VotingExclusions {
  read(): Promise<VotingFacts>;
  /** Takes a node out of voting; a response is the proof that it is out. */
  exclude(nodeId: string): Promise<void>;
  /** Clears the whole list. */
  clear(): Promise<void>;
}

export interface RecoveryReader {
  recoveriesTo(nodeId: string): Promise<NodeRecovery>;
  /** Bytes copied by recoveries that still run, in the whole cluster. */
  bytesInFlight(): Promise<number>;
}

export interface FailedShardRetry {
  retryFailedShards(): Promise<void>;
}

/** Settings of the whole cluster that outlive its restart. */
export interface ClusterSettings {
  /** Undefined when it is not set. */
  persistent(name: string): Promise<string | undefined>;
  setPersistent(name: string, value: string): Promise<void>;
}

/** Of indices of users, those behind data streams too, unless a block keeps their settings as they are. */
export interface IndexSettings {
  /** The value of each index; undefined where it has none of its own. */
  values(name: string): Promise<ReadonlyMap<string, string | undefined>>;
  /** With null the indices have none of their own. */
  set(indices: readonly string[], name: string, value: string | null): Promise<void>;
}

export interface ElectedMaster {
  /** Fails while there is none. */
  masterNodeId(): Promise<string>;
}

export interface UserPasswords {
  /** Changes a user's password as the user who is logged in. */
  change(username: string, password: string): Promise<void>;
  /**
   * Stores the password with which the user logs in already, so that all nodes have the same one. Fails when it lets
   * the user in no more: a change by another client is never undone.
   */
  store(username: string, password: string): Promise<void>;
  /** Makes a user that is not built in, or gives it another password and exactly these roles. */
  put(username: string, password: string, roles: readonly string[]): Promise<void>;
  /** Whether this password lets the user in; fails when Elasticsearch cannot decide. */
  letsIn(username: string, password: string): Promise<boolean>;
}

/** Tokens of Kibana's service account. */
export interface ServiceTokens {
  /** Makes a token and returns its value, which is never shown again. */
  create(name: string): Promise<string>;
  letsIn(token: string): Promise<boolean>;
  /** The names of all that Elasticsearch knows. */
  names(): Promise<readonly string[]>;
  /** A client that logs in with it is refused from now on. */
  delete(name: string): Promise<void>;
}

export interface FormedCluster {
  /** UUID of the cluster that the local node is in; undefined when it is in none, or does not respond. */
  clusterUuid(): Promise<string | undefined>;
}

// ---- AWS -------------------------------------------------------------------------------------------------------------

/** Facts that an instance can read about itself without any permission. */
export interface InstanceMetadata {
  /** The target state of the instance: already `InService` while launch hooks are open. Undefined outside a group. */
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
  /** Undefined when the instance has no such tag. */
  read(instanceId: string, key: string): Promise<string | undefined>;
  set(instanceId: string, tags: Readonly<Record<string, string>>): Promise<void>;
}

/** The instances of a cluster, over all of its groups. */
export interface GroupInstances {
  /** The groups of the cluster with this resource name, masters first: found by their tags, so that no program has a list of its own. */
  groupsOf(resourceName: string): Promise<readonly NodeGroup[]>;
  ofGroups(groupNames: readonly string[]): Promise<readonly GroupInstance[]>;
  /** When an instance of these groups was last terminated; undefined when none was. */
  lastTerminationAt(groupNames: readonly string[]): Promise<number | undefined>;
  /** When the termination began that waits on a hook of this instance. */
  terminatingSince(instance: GroupInstance): Promise<number>;
}

/** EC2's status checks. Auto Scaling acts on those of instances in service alone. */
export interface StatusChecks {
  /** Since when the checks of instances have failed, by their ids; those of other owners included. */
  impairedSince(): Promise<ReadonlyMap<string, number>>;
}

/** Groups as they are, and processes of Auto Scaling that are switched off for them. */
export interface GroupProcesses {
  /** Of the groups that exist. */
  frames(groupNames: readonly string[]): Promise<readonly GroupFrame[]>;
  suspend(groupName: string, process: string): Promise<void>;
}

/** Sizes and zones of a cluster's groups. */
export interface GroupSizes {
  /** Of the groups that exist. */
  frames(groupNames: readonly string[]): Promise<readonly GroupFrame[]>;
  setDesired(groupName: string, capacity: number): Promise<void>;
  /** Terminates an instance, and its group wants one less. One that is gone is no failure. */
  endInstance(instanceId: string): Promise<void>;
  /** Those of the groups whose instances are being refreshed. */
  refreshing(groupNames: readonly string[]): Promise<readonly string[]>;
}

/** The last attempt to spread the masters over the zones again. */
export interface SpreadNotes {
  /** Undefined when there was none. */
  read(): Promise<SpreadNote | undefined>;
  write(note: SpreadNote): Promise<void>;
}

/** The targets of a cluster's load balancers. */
export interface LoadBalancerTargets {
  /** Of the groups that exist. */
  ofGroups(groupNames: readonly string[]): Promise<readonly TargetGroup[]>;
  register(targetGroup: string, instanceId: string): Promise<void>;
  /** Its open requests have time to end. */
  deregister(targetGroup: string, instanceId: string): Promise<void>;
}

export interface RetainedInstances {
  /** Ends an instance that its termination hook retained. */
  release(instanceId: string): Promise<void>;
}

/** The volumes with the data of instances. */
export interface DataVolumes {
  /** Of these instances; one whose data is on its root volume has none. */
  of(instanceIds: readonly string[]): Promise<readonly DataVolume[]>;
  /** Begins to give a volume this size; `notNow`: EC2's words, if it has been modified too often or is being modified. */
  grow(volumeId: string, sizeGiB: number): Promise<{ readonly notNow?: string }>;
}

/** The size that the volumes of data nodes were grown to: no node is to have less. */
export interface GrowthNotes {
  /** Undefined when they were never grown. */
  read(): Promise<{ readonly leastGiB: number } | undefined>;
  write(note: { readonly leastGiB: number }): Promise<void>;
}

/** The elected master's note about the room on the disks of each group. */
export interface RoomNotes {
  /** Undefined when no group was ever too full. */
  read(): Promise<RoomNote | undefined>;
  write(note: RoomNote): Promise<void>;
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
  promote(
    secretId: string,
    pending: Pick<SecretVersion, 'id'>,
    current: Pick<SecretVersion, 'id'> | undefined,
  ): Promise<void>;
  /** The labels of versions that are neither of AWS, with the value of the version that has each. */
  labelled(secretId: string): Promise<readonly LabelledVersion[]>;
}
export type SecretStage = 'AWSCURRENT' | 'AWSPENDING' | 'AWSPREVIOUS';
export interface SecretVersion {
  readonly id: string;
  readonly value: string;
  readonly createdAt: number;
}
export interface LabelledVersion extends SecretVersion {
  readonly label: string;
}

/** Objects that all masters must agree on before there is a cluster that could keep them. */
export interface StateObjects {
  /** Undefined when it does not exist. */
  read(name: StateObject): Promise<string | undefined>;
  /** Returns true if this call created it. */
  create(name: StateObject, text: string): Promise<boolean>;
}
export type StateObject = 'initialMasters' | 'formed' | 'superuserStored';

export interface AwaitedDeployments {
  /** Undefined when none has ever waited. */
  read(): Promise<AwaitedDeployment | undefined>;
  write(deployment: AwaitedDeployment): Promise<void>;
  /** Reports to CloudFormation how the wait ended, with the reason if it failed. */
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

/** The software of this node: what was fetched for it, and what is in place. */
export interface OwnSoftware {
  /** Fetched and checked, ready to be taken; undefined when there is none. */
  next(): Promise<Software | undefined>;
  /** Puts what was fetched in place. May be repeated. */
  install(): Promise<void>;
  /** Applies the configuration; returns whether that changed anything. */
  configure(): Promise<boolean>;
  /** A digest of the files that Elasticsearch reads only when it starts. */
  startFiles(): Promise<string>;
  /** The start files before the software with this digest was installed; undefined when it was not yet. */
  noted(digest: string): Promise<string | undefined>;
  /** Undefined: all of it is taken. */
  note(digest: string, startFiles: string | undefined): Promise<void>;
  report(report: SoftwareReport): Promise<void>;
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

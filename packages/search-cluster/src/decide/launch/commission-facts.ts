import type { ClusterHealth } from '../../model/health.ts';
import type { GroupInstance, GroupMember, HookFacts } from '../../model/lifecycle.ts';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import type { NodeRecovery, Topology } from '../../model/topology.ts';

/** Facts that hold for the whole run. */
export interface CommissionCase {
  /** The launch hook to keep open and to complete; undefined when the operator named none. */
  readonly launch: { readonly member: GroupMember; readonly hook: HookFacts } | undefined;
  /** The prefix of the groups' names. @default the cluster's name */
  readonly resourceName?: string | undefined;
  readonly deadlineAt: number;
}

/** Observations of earlier rounds of this run. */
export interface CommissionHistory {
  /** Readings in a row without recovery to this node, this one included, and since when. */
  readonly stableReadings: number;
  readonly stableSince?: number | undefined;
  /** Since when the node looks like a part of another cluster. */
  readonly foreignSince?: number | undefined;
  readonly completeReadings: number;
  readonly lastHeartbeatAt?: number | undefined;
  readonly hookGone: boolean;
  readonly retriedFailedShards: boolean;
}

export interface CommissionReadFacts {
  readonly stage: 'read';
  readonly case: CommissionCase;
  readonly history: CommissionHistory;
  readonly nodeId: string;
  readonly topology: Topology;
  readonly health: ClusterHealth;
  readonly recovery: NodeRecovery;
  readonly shardsOnNode: number;
  readonly records: readonly ShutdownRecord[];
  /** The other instances of the cluster's groups; undefined outside AWS. */
  readonly peers: readonly GroupInstance[] | undefined;
}

export interface CommissionUnreadableFacts {
  readonly stage: 'unreadable';
  readonly case: CommissionCase;
  readonly history: CommissionHistory;
  readonly error: string;
}

export type CommissionFacts = CommissionReadFacts | CommissionUnreadableFacts;

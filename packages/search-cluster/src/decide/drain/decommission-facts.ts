import type { ClusterHealth } from '../../model/health.ts';
import type { GroupMember, HookFacts } from '../../model/lifecycle.ts';
import type { NodeVerdict, ShardCopy } from '../../model/shard.ts';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import type { NodeDisk, Topology, VotingFacts, Watermark } from '../../model/topology.ts';
import type { RecoverySettings } from '../../ports.ts';

/** Facts that hold for the whole run. */
export interface DecommissionCase {
  readonly nodeId: string;
  readonly reason: string;
  /** Set while the node's own instance waits in `Terminating:Wait`. */
  readonly terminating: { readonly member: GroupMember; readonly hook: HookFacts } | undefined;
  /** Known group of the instance, whose refresh is cancelled when the node cannot go. */
  readonly groupName: string | undefined;
  readonly completeHook: boolean;
  readonly deadlineAt: number;
  /** Bytes a second that network and disk of a data node's machine can copy; undefined when that is unknown. */
  readonly machineBytesPerSecond?: number | undefined;
  /** Begin although the forecast says that it does not end in time. */
  readonly allowTimeout?: boolean | undefined;
  /** Whether giving up deletes the record: only for a node that stays in service. */
  readonly withdrawOnGiveUp: boolean;
}

/** Observations of earlier rounds of this run. Losing it costs time, never safety. */
export interface DrainHistory {
  /** COMPLETE readings in a row, this one included. */
  readonly completeReadings: number;
  /** STALLED readings in a row, this one included, and since when. */
  readonly stalledReadings: number;
  readonly stalledSince?: number | undefined;
  readonly lastHeartbeatAt?: number | undefined;
  /** The hook has said that the instance waits no longer. */
  readonly hookGone: boolean;
  /** When this run last saw the lease with another node. */
  readonly leaseLastHeldAt?: number | undefined;
  /** Since when this run has seen the cluster in a yellow that passes by itself. */
  readonly passingSince?: number | undefined;
}

interface Common {
  readonly case: DecommissionCase;
  readonly history: DrainHistory;
}

/** Elasticsearch could not be read: never "drained". */
export interface UnreadableFacts extends Common {
  readonly stage: 'unreadable';
  readonly error: string;
}

/** No record of this node exists yet. */
export interface BeforeFacts extends Common {
  readonly stage: 'before';
  readonly topology: Topology;
  readonly records: readonly ShutdownRecord[];
  readonly health: ClusterHealth;
  readonly voting: VotingFacts;
  /** Read only when the node could go otherwise: it costs an explanation per shard. */
  readonly placement: PlacementFacts | undefined;
}

export interface PlacementFacts {
  readonly copies: readonly ShardCopy[];
  readonly disks: readonly NodeDisk[];
  readonly lowWatermark: Watermark | undefined;
  readonly recovery: RecoverySettings;
  /** Each shard whose last copy is here, with what the other nodes say to it. */
  readonly lone: readonly { readonly shard: ShardCopy; readonly verdicts: readonly NodeVerdict[] }[];
}

/** This node's record exists: it drains. */
export interface DrainingFacts extends Common {
  readonly stage: 'draining';
  readonly topology: Topology;
  readonly records: readonly ShutdownRecord[];
  readonly own: ShutdownRecord;
  /** Read once the drain is complete, before the node is let go. */
  readonly voting: VotingFacts | undefined;
  /** Why the stalled shard cannot move, when the record does not say it. */
  readonly stallVerdicts: readonly NodeVerdict[];
}

export type DecommissionFacts = UnreadableFacts | BeforeFacts | DrainingFacts;

/** One copy of a shard as the cluster state records it. Immutable: a change makes a new one. */
export interface ShardRouting {
  readonly index: string;
  readonly indexUUID: string;
  readonly shard: number;
  readonly primary: boolean;
  readonly state: 'UNASSIGNED' | 'INITIALIZING' | 'STARTED' | 'RELOCATING';
  readonly node?: string;
  /** Of a relocating copy the node it goes to; of its target the node it comes from. */
  readonly relocatingNode?: string;
  readonly allocationId?: string;
  /** Allocation id of the target while this copy relocates, of the source in the target. */
  readonly relocationId?: string;
  readonly recoverySource?: RecoverySource;
  readonly unassignedInfo?: UnassignedInfo;
  readonly failedRelocations?: number;
}

export type RecoverySource =
  | { readonly type: 'EMPTY_STORE' }
  | { readonly type: 'EXISTING_STORE'; readonly bootstrapNewHistoryUUID?: boolean }
  | { readonly type: 'PEER' }
  | {
      readonly type: 'SNAPSHOT';
      readonly repository: string;
      readonly snapshot: string;
      readonly snapshotUUID: string;
      readonly index: string;
      readonly restoreUUID: string;
      readonly version: string;
    };

/** Reasons as the reference page "cat shards API" lists them. */
export type UnassignedReason =
  | 'INDEX_CREATED'
  | 'CLUSTER_RECOVERED'
  | 'INDEX_REOPENED'
  | 'INDEX_CLOSED'
  | 'NEW_INDEX_RESTORED'
  | 'EXISTING_INDEX_RESTORED'
  | 'REPLICA_ADDED'
  | 'ALLOCATION_FAILED'
  | 'NODE_LEFT'
  | 'NODE_RESTARTING'
  | 'REROUTE_CANCELLED'
  | 'REINITIALIZED'
  | 'PRIMARY_FAILED'
  | 'FORCED_EMPTY_PRIMARY'
  | 'MANUAL_ALLOCATION';

export type AllocationStatus =
  | 'no_attempt'
  | 'deciders_no'
  | 'deciders_throttled'
  | 'delayed_allocation'
  | 'no_valid_shard_copy'
  | 'fetching_shard_data';

export interface UnassignedInfo {
  readonly reason: UnassignedReason;
  readonly atMs: number;
  readonly failedAllocations: number;
  readonly failedNodes: readonly string[];
  readonly delayed: boolean;
  readonly lastNode?: string;
  readonly details?: string;
  readonly allocationStatus: AllocationStatus;
}

export const isActive = (shard: ShardRouting) => shard.state === 'STARTED' || shard.state === 'RELOCATING';
export const isAssigned = (shard: ShardRouting) => shard.state !== 'UNASSIGNED';
/** The copy that a relocation fills: it exists beside its source until it has started. */
export const isRelocationTarget = (shard: ShardRouting) =>
  shard.state === 'INITIALIZING' && shard.relocatingNode !== undefined;

export const shardKey = (shard: Pick<ShardRouting, 'index' | 'shard'>) => `${shard.index}/${shard.shard}`;
export const shardLabel = (shard: Pick<ShardRouting, 'index' | 'shard'>) => `[${shard.index}][${shard.shard}]`;

/** The target half of a relocating copy. */
export function relocationTarget(source: ShardRouting): ShardRouting {
  return {
    index: source.index,
    indexUUID: source.indexUUID,
    shard: source.shard,
    primary: source.primary,
    state: 'INITIALIZING',
    node: source.relocatingNode!,
    relocatingNode: source.node!,
    allocationId: source.relocationId!,
    relocationId: source.allocationId!,
    recoverySource: { type: 'PEER' },
  };
}

/** `[books][0], node[…], [P], s[STARTED], a[id=…], failed_attempts[0]`, as deciders quote a copy. */
export function shardSummary(shard: ShardRouting): string {
  const parts = [`${shardLabel(shard)}, node[${shard.node ?? 'null'}]`];
  if (shard.relocatingNode !== undefined) parts.push(`relocating [${shard.relocatingNode}]`);
  parts.push(shard.primary ? '[P]' : '[R]');
  if (shard.recoverySource !== undefined) parts.push(`recovery_source[${recoveryText(shard.recoverySource)}]`);
  parts.push(`s[${shard.state}]`);
  if (shard.allocationId !== undefined)
    parts.push(`a[id=${shard.allocationId}${shard.relocationId === undefined ? '' : `, rId=${shard.relocationId}`}]`);
  if (shard.unassignedInfo !== undefined) parts.push(unassignedSummary(shard.unassignedInfo));
  parts.push(`failed_attempts[${shard.failedRelocations ?? 0}]`);
  return parts.join(', ');
}

function recoveryText(source: RecoverySource): string {
  if (source.type === 'PEER') return 'peer recovery';
  if (source.type === 'EMPTY_STORE') return 'new shard recovery';
  if (source.type === 'SNAPSHOT')
    return `snapshot recovery [${source.restoreUUID}] from ${source.repository}:${source.snapshot}/${source.snapshotUUID}`;
  return `existing store recovery; bootstrap_history_uuid=${source.bootstrapNewHistoryUUID ?? false}`;
}

/** `unassigned_info[[reason=NODE_LEFT], at[…], delayed=false, …]` */
export function unassignedSummary(info: UnassignedInfo): string {
  const parts = [`[reason=${info.reason}]`, `at[${new Date(info.atMs).toISOString()}]`];
  if (info.failedAllocations > 0) parts.push(`failed_attempts[${info.failedAllocations}]`);
  if (info.failedNodes.length > 0) parts.push(`failed_nodes[[${info.failedNodes.join(', ')}]]`);
  parts.push(`delayed=${info.delayed}`);
  if (info.lastNode !== undefined) parts.push(`last_node[${info.lastNode}]`);
  if (info.details !== undefined) parts.push(`details[${info.details}]`);
  parts.push(`allocation_status[${info.allocationStatus}]`);
  return `unassigned_info[${parts.join(', ')}]`;
}

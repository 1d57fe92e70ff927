import type { ClusterState } from '../state/cluster-state.ts';
import type { ShardRouting } from '../state/shard.ts';

/**
 * The initial state of a master that came up from disk: metadata as persisted, no transient settings, every shard
 * unassigned until copies are found ("Transient settings … are cleared on a full cluster restart").
 */
export function recoverFromDisk(state: ClusterState, nowMs: number): ClusterState {
  const routing = new Map<string, ShardRouting[][]>();
  for (const [name, shards] of state.routing)
    routing.set(
      name,
      shards.map((copies, shard) => copies.map((copy) => unassign(state, copy, shard, nowMs))),
    );
  return { ...state, transient: {}, routing };
}

function unassign(state: ClusterState, copy: ShardRouting, shard: number, nowMs: number): ShardRouting {
  const started = state.indices.get(copy.index)!.inSync[shard]!.length > 0;
  return {
    index: copy.index,
    indexUUID: copy.indexUUID,
    shard: copy.shard,
    primary: copy.primary,
    state: 'UNASSIGNED',
    recoverySource: { type: copy.primary ? (started ? 'EXISTING_STORE' : 'EMPTY_STORE') : 'PEER' },
    unassignedInfo: {
      reason: 'CLUSTER_RECOVERED',
      atMs: nowMs,
      failedAllocations: 0,
      failedNodes: [],
      delayed: false,
      allocationStatus: 'no_attempt',
    },
  };
}

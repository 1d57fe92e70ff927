import type { ClusterState } from '../state/cluster-state.ts';
import { autoExpandBounds, changeIndex, type IndexMetadata, numberOfReplicas } from '../state/index-metadata.ts';
import { isDataNode } from '../state/node-info.ts';
import { isActive, type ShardRouting, type UnassignedReason } from '../state/shard.ts';

/**
 * Sets the number of replicas of indices with `auto_expand_replicas` to what the data nodes allow. A node with a
 * shutdown record of type remove or replace does not count, also when the record is only a leftover of a node that
 * is gone and came back under the same id.
 */
export function adaptReplicaCounts(state: ClusterState, nowMs: number): ClusterState {
  const eligible = [...state.nodes.values()].filter((node) => isDataNode(node) && !isLeaving(state, node.id)).length;
  let next = state;
  for (const index of state.indices.values()) {
    const bounds = autoExpandBounds(index);
    if (bounds === undefined || index.state === 'close') continue;
    const wanted = Math.max(bounds.least, Math.min(bounds.most, eligible - 1));
    if (wanted !== numberOfReplicas(index) && eligible > 0) next = withReplicas(next, index.name, wanted, nowMs);
  }
  return next;
}

/** A node that is removed or replaced; one that restarts comes back. */
export const isLeaving = (state: ClusterState, nodeId: string) => {
  const type = state.shutdowns.get(nodeId)?.type;
  return type !== undefined && type !== 'RESTART';
};

/** Changes the number of replicas of an index and adds or drops copies. */
export function withReplicas(state: ClusterState, name: string, replicas: number, nowMs: number): ClusterState {
  const index = state.indices.get(name)!;
  const settings = { ...index.settings, 'index.number_of_replicas': String(replicas) };
  const dropped: string[] = [];
  const shards = state.routing.get(name)!.map((copies) => adjustCopies(index, copies, replicas, nowMs, dropped));
  const inSync = index.inSync.map((ids) => ids.filter((id) => !dropped.includes(id)));
  const changed = changeIndex(index, { settings, inSync, settingsVersion: index.settingsVersion + 1 });
  return {
    ...state,
    indices: new Map(state.indices).set(name, changed),
    routing: new Map(state.routing).set(name, shards),
  };
}

function adjustCopies(
  index: IndexMetadata,
  copies: readonly ShardRouting[],
  replicas: number,
  nowMs: number,
  dropped: string[],
): ShardRouting[] {
  const now = copies.filter((copy) => !copy.primary);
  if (now.length <= replicas) {
    const missing = Array.from({ length: replicas - now.length }, () =>
      newReplica(index, copies[0]!.shard, 'REPLICA_ADDED', nowMs),
    );
    return [...copies, ...missing];
  }
  const leastUseful = [...now].sort((a, b) => usefulness(a) - usefulness(b)).slice(0, now.length - replicas);
  for (const copy of leastUseful) if (copy.allocationId !== undefined) dropped.push(copy.allocationId);
  return copies.filter((copy) => !leastUseful.includes(copy));
}

const usefulness = (copy: ShardRouting) =>
  isActive(copy) ? (copy.state === 'STARTED' ? 3 : 2) : copy.state === 'INITIALIZING' ? 1 : 0;

export function newReplica(
  index: Pick<IndexMetadata, 'name' | 'uuid'>,
  shard: number,
  reason: UnassignedReason,
  nowMs: number,
): ShardRouting {
  return {
    index: index.name,
    indexUUID: index.uuid,
    shard,
    primary: false,
    state: 'UNASSIGNED',
    recoverySource: { type: 'PEER' },
    unassignedInfo: {
      reason,
      atMs: nowMs,
      failedAllocations: 0,
      failedNodes: [],
      delayed: false,
      allocationStatus: 'no_attempt',
    },
  };
}

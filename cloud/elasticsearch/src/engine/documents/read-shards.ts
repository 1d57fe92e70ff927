import type { ClusterAccess } from '../coordination/cluster-access.ts';
import type { SearchNode } from '../coordination/search-node.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { IndexMetadata } from '../state/index-metadata.ts';
import { isActive } from '../state/shard.ts';
import type { ReadCounts } from './read-counts.ts';
import type { ShardStore } from './shard-store.ts';
import { refreshIntervalMs } from './write-documents.ts';

/** One shard to read, or none when no copy can be reached. */
export interface ShardSource {
  readonly index: IndexMetadata;
  readonly shard: number;
  readonly node?: SearchNode;
  readonly store?: ShardStore;
  readonly reads?: ReadCounts;
}

/** A copy of each shard that the coordinating node can read: its own before others'. */
export function readableShards(
  cluster: ClusterAccess,
  coordinator: SearchNode,
  state: ClusterState,
  indices: readonly IndexMetadata[],
): ShardSource[] {
  return indices.flatMap((index) =>
    (state.routing.get(index.name) ?? []).map((_, shard) => readableShard(cluster, coordinator, state, index, shard)),
  );
}

export function readableShard(
  cluster: ClusterAccess,
  coordinator: SearchNode,
  state: ClusterState,
  index: IndexMetadata,
  shard: number,
): ShardSource {
  const copies = (state.routing.get(index.name)?.[shard] ?? []).filter(isActive);
  const found: ShardSource[] = [];
  for (const copy of copies) {
    const node = cluster.nodes.find((candidate) => candidate.id === copy.node);
    if (node === undefined || !coordinator.canReach(node)) continue;
    const store = node.copies.get(copy.allocationId!)?.store;
    if (store !== undefined) found.push({ index, shard, node, store, reads: node.reads.of(copy.allocationId!) });
  }
  return found.find(({ node }) => node === coordinator) ?? found[0] ?? { index, shard };
}

/** Lets a search see what is due to be seen. */
export function refreshForSearch(source: ShardSource, nowMs: number): ShardStore | undefined {
  source.store?.refreshIfDue(nowMs, refreshIntervalMs(source.index));
  return source.store;
}

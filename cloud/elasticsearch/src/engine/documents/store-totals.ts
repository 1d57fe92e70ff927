import type { SearchNode } from '../coordination/search-node.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { isActive } from '../state/shard.ts';
import type { ShardStore } from './shard-store.ts';

/** Counters of several shard copies together. */
export interface StoreTotals {
  readonly shards: number;
  readonly docs: number;
  readonly deleted: number;
  readonly bytes: number;
  readonly indexOps: number;
  readonly deleteOps: number;
  readonly segments: number;
}

export function sumStores(stores: Iterable<ShardStore>): StoreTotals {
  const total = { shards: 0, docs: 0, deleted: 0, bytes: 0, indexOps: 0, deleteOps: 0, segments: 0 };
  for (const store of stores) {
    total.shards += 1;
    total.docs += store.searchableCount;
    total.deleted += store.deletedCount;
    total.bytes += store.sizeBytes;
    total.indexOps += store.indexOps;
    total.deleteOps += store.deleteOps;
    total.segments += store.count > 0 ? 1 : 0;
  }
  return total;
}

/** Stores of the copies that are active on a node. */
export function storesOf(state: ClusterState, node: SearchNode): ShardStore[] {
  return [...node.copies.values()]
    .filter((copy) =>
      (state.routing.get(copy.index)?.[copy.shard] ?? []).some(
        (shard) => shard.allocationId === copy.allocationId && isActive(shard),
      ),
    )
    .map(({ store }) => store);
}

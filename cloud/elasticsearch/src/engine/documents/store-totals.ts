import type { SearchNode } from '../coordination/search-node.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { isActive } from '../state/shard.ts';
import { noReads, type ReadCounts } from './read-counts.ts';
import type { ShardStore } from './shard-store.ts';

/** A copy with what it has read. */
export interface CountedCopy {
  readonly store: ShardStore;
  readonly reads: ReadCounts;
}

/** Counters of several shard copies together. */
export interface StoreTotals extends Readonly<ReadCounts> {
  readonly shards: number;
  readonly docs: number;
  readonly deleted: number;
  readonly bytes: number;
  readonly indexOps: number;
  readonly failedOps: number;
  readonly deleteOps: number;
  readonly bulkOps: number;
  readonly segments: number;
  readonly refreshes: number;
  readonly flushes: number;
  readonly periodicFlushes: number;
  readonly merges: number;
  readonly mergedDocs: number;
  /** Operations, and their bytes, since the last flush. */
  readonly uncommitted: number;
  readonly uncommittedBytes: number;
}

const noStores: StoreTotals = {
  ...noReads,
  shards: 0,
  docs: 0,
  deleted: 0,
  bytes: 0,
  indexOps: 0,
  failedOps: 0,
  deleteOps: 0,
  bulkOps: 0,
  segments: 0,
  refreshes: 0,
  flushes: 0,
  periodicFlushes: 0,
  merges: 0,
  mergedDocs: 0,
  uncommitted: 0,
  uncommittedBytes: 0,
};

export function sumCopies(copies: Iterable<CountedCopy>): StoreTotals {
  const total: { -readonly [name in keyof StoreTotals]: number } = { ...noStores };
  for (const { store, reads } of copies) {
    total.shards += 1;
    total.docs += store.searchableCount;
    total.deleted += store.searchableDeleted;
    total.bytes += store.sizeBytes;
    total.indexOps += store.indexOps;
    total.failedOps += store.failedOps;
    total.deleteOps += store.deleteOps;
    total.bulkOps += store.bulkOps;
    total.segments += store.count > 0 ? 1 : 0;
    total.refreshes += store.refreshes;
    total.flushes += store.flushes;
    total.periodicFlushes += store.periodicFlushes;
    total.merges += store.merges;
    total.mergedDocs += store.mergedDocs;
    total.uncommitted += store.maxSeqNo - store.committedSeqNo;
    total.uncommittedBytes += store.uncommittedBytes;
    for (const name of Object.keys(noReads) as (keyof ReadCounts)[]) total[name] += reads[name];
  }
  return total;
}

/** The copies that are active on a node. */
export function activeCopies(state: ClusterState, node: SearchNode): CountedCopy[] {
  return [...node.copies.values()]
    .filter((copy) =>
      (state.routing.get(copy.index)?.[copy.shard] ?? []).some(
        (shard) => shard.allocationId === copy.allocationId && isActive(shard),
      ),
    )
    .map(({ store, allocationId }) => ({ store, reads: node.reads.of(allocationId) }));
}

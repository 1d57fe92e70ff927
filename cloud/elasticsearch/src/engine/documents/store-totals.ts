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

/** Counters of a store that are summed under their own names. */
const stored = [
  ...(['indexOps', 'failedOps', 'deleteOps', 'bulkOps', 'refreshes', 'flushes', 'periodicFlushes'] as const),
  ...(['merges', 'mergedDocs', 'uncommittedBytes'] as const),
] satisfies (keyof ShardStore)[];
const read = Object.keys(noReads) as (keyof ReadCounts)[];
/** `uncommitted` are operations since the last flush. */
type Derived = 'shards' | 'docs' | 'deleted' | 'bytes' | 'segments' | 'uncommitted';

/** Counters of several shard copies together. */
export type StoreTotals = Readonly<ReadCounts & Record<(typeof stored)[number] | Derived, number>>;

export function sumCopies(copies: Iterable<CountedCopy>): StoreTotals {
  const all = [...copies];
  const stores = all.map(({ store }) => store);
  const sum = <T>(list: readonly T[], value: (of: T) => number) => list.reduce((total, of) => total + value(of), 0);
  const totals: Record<Derived, number> = {
    shards: stores.length,
    docs: sum(stores, ({ searchableCount }) => searchableCount),
    deleted: sum(stores, ({ searchableDeleted }) => searchableDeleted),
    bytes: sum(stores, ({ sizeBytes }) => sizeBytes),
    segments: sum(stores, ({ count }) => (count > 0 ? 1 : 0)),
    uncommitted: sum(stores, ({ maxSeqNo, committedSeqNo }) => maxSeqNo - committedSeqNo),
  };
  return Object.assign(
    totals,
    Object.fromEntries(stored.map((name) => [name, sum(stores, (store) => store[name])])),
    Object.fromEntries(read.map((name) => [name, sum(all, ({ reads }) => reads[name])])),
  ) as StoreTotals;
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

import type { Document } from '@drover/formats';
import type { SearchNode } from '../../engine/coordination/search-node.ts';
import type { StoreTotals } from '../../engine/documents/store-totals.ts';
import templates from './statistics.json' with { type: 'json' };

/** Thread pools of a node with their sizes ("Thread pools"). Nothing waits in them here. */
export const threadPools: Readonly<Record<string, Document>> = templates.nodeInfo.thread_pool;

/** The completed tasks of each pool: the work of the shards, and of the node itself about once in a second. */
export function poolStatistics(
  totals: StoreTotals,
  { rejected, startedAtMs }: SearchNode,
  now: number,
): Record<string, Record<string, number>> {
  const seconds = Math.floor((now - startedAtMs) / 1000);
  const done: Readonly<Record<string, number>> = {
    search: totals.queries + totals.fetches,
    get: totals.gets,
    write: totals.bulkOps,
    refresh: totals.refreshes,
    flush: totals.flushes,
    merge: totals.merges,
    management: seconds,
    generic: seconds,
    cluster_coordination: seconds,
  };
  return Object.fromEntries(
    Object.keys(threadPools).map((name) => {
      const threads = (done[name] ?? 0) > 0 ? 1 : 0;
      const active = name === 'management' ? 1 : 0;
      const refused = rejected.get(name) ?? 0;
      return [name, { threads, queue: 0, active, rejected: refused, largest: threads, completed: done[name] ?? 0 }];
    }),
  );
}

import type { Document } from '@drover/formats';
import type { StoreTotals } from '../../engine/documents/store-totals.ts';

const fixed = (size: number, queue: number): Document => ({ type: 'fixed', size, queue_size: queue });
const scaling = (core: number, max: number, keepAlive: string): Document => ({
  type: 'scaling',
  core,
  max,
  keep_alive: keepAlive,
  queue_size: -1,
});

const info: Document = {
  analyze: fixed(1, 16),
  auto_complete: fixed(1, 100),
  cluster_coordination: fixed(1, -1),
  fetch_shard_started: scaling(1, 4, '5m'),
  fetch_shard_store: scaling(1, 4, '5m'),
  flush: scaling(1, 1, '5m'),
  force_merge: fixed(1, -1),
  generic: scaling(4, 128, '30s'),
  get: fixed(4, 1000),
  management: scaling(1, 2, '5m'),
  merge: scaling(1, 2, '5m'),
  refresh: scaling(1, 1, '5m'),
  search: fixed(4, 1000),
  search_coordination: fixed(1, 1000),
  search_throttled: fixed(1, 100),
  snapshot: scaling(1, 1, '5m'),
  snapshot_meta: scaling(1, 6, '30s'),
  system_critical_read: fixed(1, 2000),
  system_critical_write: fixed(1, 1500),
  system_read: fixed(1, 2000),
  system_write: fixed(1, 1000),
  warmer: scaling(1, 1, '5m'),
  write: fixed(2, 10_000),
};

/** The completed tasks of each pool: the work of the shards, and of the node itself about once in a second. */
function stats(totals: StoreTotals, uptimeMs: number): Document {
  const done: Readonly<Record<string, number>> = {
    search: totals.queries + totals.fetches,
    get: totals.gets,
    write: totals.bulkOps,
    refresh: totals.refreshes,
    flush: totals.flushes,
    merge: totals.merges,
    management: Math.floor(uptimeMs / 1000),
    generic: Math.floor(uptimeMs / 1000),
    cluster_coordination: Math.floor(uptimeMs / 1000),
  };
  return Object.fromEntries(
    Object.keys(info).map((name) => {
      const threads = (done[name] ?? 0) > 0 ? 1 : 0;
      const active = name === 'management' ? 1 : 0;
      return [name, { threads, queue: 0, active, rejected: 0, largest: threads, completed: done[name] ?? 0 }];
    }),
  );
}

/** Thread pools of a node ("Thread pools"). Nothing waits in them here. */
export const threadPools = {
  info,
  names: Object.keys(info),
  stats,
};

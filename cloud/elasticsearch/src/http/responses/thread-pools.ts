import type { Document } from '@drover/formats';

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

/** Thread pools of a node ("Thread pools"). Nothing waits in them here. */
export const threadPools = {
  info,
  names: Object.keys(info),
  stats: Object.fromEntries(
    Object.keys(info).map((name) => [
      name,
      { threads: 1, queue: 0, active: name === 'management' ? 1 : 0, rejected: 0, largest: 1, completed: 100 },
    ]),
  ) as Document,
};

import type { Document } from '@drover/formats';
import type { StoreTotals } from '../../engine/documents/store-totals.ts';
import type { Call } from '../call.ts';
import { patched, zeroStatistics } from './statistics.ts';

/** Names of index metrics in requests, with the section each one stands for. */
export const indexMetrics: Readonly<Record<string, string>> = {
  docs: 'docs',
  shard_stats: 'shard_stats',
  store: 'store',
  indexing: 'indexing',
  get: 'get',
  search: 'search',
  merge: 'merges',
  refresh: 'refresh',
  flush: 'flush',
  warmer: 'warmer',
  query_cache: 'query_cache',
  fielddata: 'fielddata',
  completion: 'completion',
  segments: 'segments',
  translog: 'translog',
  request_cache: 'request_cache',
  recovery: 'recovery',
  bulk: 'bulk',
  mappings: 'mappings',
  dense_vector: 'dense_vector',
  sparse_vector: 'sparse_vector',
  suggest: 'search',
};

/** Statistics of shards, by section. What the model does not count is zero. */
export function statSections(call: Call, totals: StoreTotals): Document {
  const { docs, deleted, bytes, indexOps, deleteOps, segments } = totals;
  return patched(zeroStatistics('shards', call.version), {
    docs: { count: docs, deleted, total_size_in_bytes: segments > 0 ? bytes : 0 },
    shard_stats: { total_count: totals.shards },
    store: { size_in_bytes: bytes, total_data_set_size_in_bytes: bytes },
    indexing: {
      index_total: indexOps,
      index_time_in_millis: indexOps,
      delete_total: deleteOps,
      delete_time_in_millis: deleteOps,
    },
    segments: { count: segments },
    translog: { operations: indexOps + deleteOps },
    bulk: { total_operations: indexOps + deleteOps },
  });
}

/** Only the requested sections. */
export function chooseSections(sections: Document, wanted: ReadonlySet<string> | undefined): Document {
  if (wanted === undefined) return sections;
  return Object.fromEntries(Object.entries(sections).filter(([name]) => wanted.has(name)));
}

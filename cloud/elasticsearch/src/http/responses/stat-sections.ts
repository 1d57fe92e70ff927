import type { StoreTotals } from '../../engine/documents/store-totals.ts';
import { Double, type XObject } from '../../engine/values/value.ts';
import type { Call } from '../call.ts';

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
export function statSections(call: Call, totals: StoreTotals): XObject {
  const { docs, deleted, bytes, indexOps, deleteOps, segments } = totals;
  const modern = call.major >= 8;
  return {
    docs: { count: docs, deleted, ...(call.atLeast('8.9.0') ? { total_size_in_bytes: segments > 0 ? bytes : 0 } : {}) },
    ...(call.atLeast('7.15.0') ? { shard_stats: { total_count: totals.shards } } : {}),
    store: {
      size_in_bytes: bytes,
      ...(call.atLeast('7.13.0') ? { total_data_set_size_in_bytes: bytes } : {}),
      reserved_in_bytes: 0,
    },
    indexing: {
      index_total: indexOps,
      index_time_in_millis: indexOps,
      index_current: 0,
      index_failed: 0,
      ...(call.atLeast('8.18.0') ? { index_failed_due_to_version_conflict: 0 } : {}),
      delete_total: deleteOps,
      delete_time_in_millis: deleteOps,
      delete_current: 0,
      noop_update_total: 0,
      is_throttled: false,
      throttle_time_in_millis: 0,
      ...(modern ? { write_load: new Double(0) } : {}),
    },
    get: {
      total: 0,
      time_in_millis: 0,
      exists_total: 0,
      exists_time_in_millis: 0,
      missing_total: 0,
      missing_time_in_millis: 0,
      current: 0,
    },
    search: searchSection(call),
    merges: {
      current: 0,
      current_docs: 0,
      current_size_in_bytes: 0,
      total: 0,
      total_time_in_millis: 0,
      total_docs: 0,
      total_size_in_bytes: 0,
      total_stopped_time_in_millis: 0,
      total_throttled_time_in_millis: 0,
      total_auto_throttle_in_bytes: 0,
    },
    refresh: { total: 0, total_time_in_millis: 0, external_total: 0, external_total_time_in_millis: 0, listeners: 0 },
    flush: {
      total: 0,
      periodic: 0,
      total_time_in_millis: 0,
      ...(call.atLeast('8.16.0') ? { total_time_excluding_waiting_on_lock_in_millis: 0 } : {}),
    },
    warmer: { current: 0, total: 0, total_time_in_millis: 0 },
    query_cache: queryCacheSection(),
    fielddata: fielddataSection(call),
    completion: { size_in_bytes: 0 },
    segments: { ...segmentsSection(segments), file_sizes: {} },
    translog: {
      operations: indexOps + deleteOps,
      size_in_bytes: 55,
      uncommitted_operations: 0,
      uncommitted_size_in_bytes: 55,
      earliest_last_modified_age: 0,
    },
    request_cache: { memory_size_in_bytes: 0, evictions: 0, hit_count: 0, miss_count: 0 },
    recovery: { current_as_source: 0, current_as_target: 0, throttle_time_in_millis: 0 },
    ...(modern
      ? {
          bulk: {
            total_operations: indexOps + deleteOps,
            total_time_in_millis: 0,
            total_size_in_bytes: 0,
            avg_time_in_millis: 0,
            avg_size_in_bytes: 0,
          },
          dense_vector: { value_count: 0 },
          sparse_vector: { value_count: 0 },
        }
      : {}),
  };
}

const searchSection = (call: Call): XObject => ({
  open_contexts: 0,
  query_total: 0,
  query_time_in_millis: 0,
  query_current: 0,
  ...(call.atLeast('8.16.0') ? { query_failure: 0 } : {}),
  fetch_total: 0,
  fetch_time_in_millis: 0,
  fetch_current: 0,
  ...(call.atLeast('8.16.0') ? { fetch_failure: 0 } : {}),
  scroll_total: 0,
  scroll_time_in_millis: 0,
  scroll_current: 0,
  suggest_total: 0,
  suggest_time_in_millis: 0,
  suggest_current: 0,
});

export const segmentsSection = (count: number): XObject => ({
  count,
  memory_in_bytes: 0,
  terms_memory_in_bytes: 0,
  stored_fields_memory_in_bytes: 0,
  term_vectors_memory_in_bytes: 0,
  norms_memory_in_bytes: 0,
  points_memory_in_bytes: 0,
  doc_values_memory_in_bytes: 0,
  index_writer_memory_in_bytes: 0,
  version_map_memory_in_bytes: 0,
  fixed_bit_set_memory_in_bytes: 0,
  max_unsafe_auto_id_timestamp: -9223372036854775808n,
});

/** Only the sections that were asked for. */
export function chooseSections(sections: XObject, wanted: ReadonlySet<string> | undefined): XObject {
  if (wanted === undefined) return sections;
  return Object.fromEntries(Object.entries(sections).filter(([name]) => wanted.has(name)));
}

/** Nothing is cached in the model. */
export const queryCacheSection = (): XObject => ({
  memory_size_in_bytes: 0,
  total_count: 0,
  hit_count: 0,
  miss_count: 0,
  cache_size: 0,
  cache_count: 0,
  evictions: 0,
});

export const fielddataSection = (call: Call): XObject => ({
  memory_size_in_bytes: 0,
  evictions: 0,
  ...(call.atLeast('8.8.0') ? { global_ordinals: { build_time_in_millis: 0 } } : {}),
});

/** How much indexing is under way, in bytes: nothing lasts in the model. */
export const pressureSection = (): XObject => ({
  combined_coordinating_and_primary_in_bytes: 0,
  coordinating_in_bytes: 0,
  primary_in_bytes: 0,
  replica_in_bytes: 0,
  all_in_bytes: 0,
});

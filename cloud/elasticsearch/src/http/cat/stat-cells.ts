import type { StoreTotals } from '../../engine/documents/store-totals.ts';
import type { Cell } from './table.ts';

/** Statistics columns that nodes, indices and shards share. What the model does not count is zero. */
export function statCells(totals: StoreTotals, prefix = ''): Record<string, Cell> {
  const zero = { bytes: 0 };
  const none = { ms: 0 };
  const cells: Record<string, Cell> = {
    'completion.size': zero,
    'fielddata.memory_size': zero,
    'fielddata.evictions': 0,
    'query_cache.memory_size': zero,
    'query_cache.evictions': 0,
    'query_cache.hit_count': 0,
    'query_cache.miss_count': 0,
    'request_cache.memory_size': zero,
    'request_cache.evictions': 0,
    'request_cache.hit_count': 0,
    'request_cache.miss_count': 0,
    'flush.total': 0,
    'flush.total_time': none,
    'indexing.delete_current': 0,
    'indexing.delete_time': none,
    'indexing.delete_total': totals.deleteOps,
    'indexing.index_current': 0,
    'indexing.index_time': none,
    'indexing.index_total': totals.indexOps,
    'indexing.index_failed': 0,
    'indexing.index_failed_due_to_version_conflict': 0,
    'segments.count': totals.segments,
    'segments.memory': zero,
    'segments.index_writer_memory': zero,
    'segments.version_map_memory': zero,
    'segments.fixed_bitset_memory': zero,
    'refresh.listeners': 0,
    'warmer.current': 0,
    'warmer.total': 0,
    'warmer.total_time': none,
    'suggest.current': 0,
    'suggest.time': none,
    'suggest.total': 0,
    'memory.total': zero,
    'script.compilations': 0,
    'script.cache_evictions': 0,
    'script.compilation_limit_triggered': 0,
    'mappings.total_count': 0,
    'mappings.total_estimated_overhead_in_bytes': zero,
    'bulk.total_operations': totals.indexOps + totals.deleteOps,
    'bulk.total_time': none,
    'bulk.total_size_in_bytes': zero,
    'bulk.avg_time': none,
    'bulk.avg_size_in_bytes': zero,
  };
  for (const name of [
    'get.current',
    'get.total',
    'get.exists_total',
    'get.missing_total',
    'merges.current',
    'merges.current_docs',
    'merges.total',
    'merges.total_docs',
    'refresh.total',
    'refresh.external_total',
    'search.fetch_current',
    'search.fetch_total',
    'search.open_contexts',
    'search.query_current',
    'search.query_total',
    'search.scroll_current',
    'search.scroll_total',
  ])
    cells[name] = 0;
  for (const name of [
    'get.time',
    'get.exists_time',
    'get.missing_time',
    'merges.total_time',
    'refresh.time',
    'refresh.external_time',
    'search.fetch_time',
    'search.query_time',
    'search.scroll_time',
  ])
    cells[name] = none;
  for (const name of ['merges.current_size', 'merges.total_size']) cells[name] = zero;
  return prefix === '' ? cells : Object.fromEntries(Object.entries(cells).map(([name, cell]) => [prefix + name, cell]));
}

import type { StoreTotals } from '../../engine/documents/store-totals.ts';
import zeros from './stat-cells.json' with { type: 'json' };
import type { Cell } from './table.ts';

/** Statistics columns that nodes, indices and shards share. What the model does not count is zero. */
export function statCells(totals: StoreTotals, prefix = ''): Record<string, Cell> {
  const cells: Record<string, Cell> = {
    ...zeros,
    'indexing.delete_total': totals.deleteOps,
    'indexing.index_total': totals.indexOps,
    'indexing.index_failed': totals.failedOps,
    'indexing.index_failed_due_to_version_conflict': totals.failedOps,
    'segments.count': totals.segments,
    'bulk.total_operations': totals.bulkOps,
    'get.total': totals.gets,
    'get.time': { ms: totals.gets },
    'get.exists_total': totals.found,
    'get.exists_time': { ms: totals.found },
    'get.missing_total': totals.gets - totals.found,
    'get.missing_time': { ms: totals.gets - totals.found },
    'search.query_total': totals.queries,
    'search.query_time': { ms: totals.queries },
    'search.fetch_total': totals.fetches,
    'search.fetch_time': { ms: totals.fetches },
    'search.scroll_total': totals.scrolls,
    'search.scroll_current': totals.openScrolls,
    'search.open_contexts': totals.openScrolls,
    'refresh.total': totals.refreshes,
    'refresh.external_total': totals.refreshes,
    'flush.total': totals.flushes,
    'merges.total': totals.merges,
    'merges.total_docs': totals.mergedDocs,
  };
  return prefix === '' ? cells : Object.fromEntries(Object.entries(cells).map(([name, cell]) => [prefix + name, cell]));
}

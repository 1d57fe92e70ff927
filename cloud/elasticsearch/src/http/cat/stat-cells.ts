import type { StoreTotals } from '../../engine/documents/store-totals.ts';
import zeros from './stat-cells.json' with { type: 'json' };
import type { Cell } from './table.ts';

/** Statistics columns that nodes, indices and shards share. What the model does not count is zero. */
export function statCells(totals: StoreTotals, prefix = ''): Record<string, Cell> {
  const cells: Record<string, Cell> = {
    ...zeros,
    'indexing.delete_total': totals.deleteOps,
    'indexing.index_total': totals.indexOps,
    'segments.count': totals.segments,
    'bulk.total_operations': totals.indexOps + totals.deleteOps,
  };
  return prefix === '' ? cells : Object.fromEntries(Object.entries(cells).map(([name, cell]) => [prefix + name, cell]));
}

import type { StoreTotals } from '../../engine/documents/store-totals.ts';
import type { Call } from '../call.ts';
import { statSections } from '../responses/stat-sections.ts';
import zeros from './stat-cells.json' with { type: 'json' };
import type { Cell } from './table.ts';

/** Statistics columns that nodes, indices and shards share, as the statistics APIs have them. What the model does not count is zero. */
export function statCells(call: Call, totals: StoreTotals, prefix = ''): Record<string, Cell> {
  const sections = statSections(call, totals) as Readonly<Record<string, Readonly<Record<string, number>>>>;
  const cells = Object.entries(zeros).map(([name, zero]): [string, Cell] => {
    const [section, field] = name.split('.') as [string, string];
    const counted = sections[section] ?? {};
    if (typeof zero === 'number') return [prefix + name, counted[field] ?? zero];
    if ('ms' in zero) return [prefix + name, { ms: counted[`${field}_in_millis`] ?? 0 }];
    return [prefix + name, { bytes: counted[`${field}_in_bytes`] ?? counted[field] ?? 0 }];
  });
  return Object.fromEntries(cells);
}

import type { Value } from '@drover/formats';
import { splitList } from '../../engine/coordination/settings.ts';
import { illegalArgument } from '../../engine/errors.ts';
import { wildcardToRegExp } from '../../engine/values/filter-path.ts';
import { formatBytes, formatTime } from '../../engine/values/units.ts';

/** One column of a cat table. */
export interface Column {
  readonly name: string;
  /** Short names, separated by commas. */
  readonly alias?: string;
  readonly help: string;
  readonly right?: boolean;
  /** Not shown by default. */
  readonly hidden?: boolean;
}

/** A cell knows its unit, so that `bytes` and `time` can change it. */
export type Cell = null | undefined | string | number | { readonly bytes: number } | { readonly ms: number };

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface TableOptions {
  readonly headings?: string | undefined;
  readonly sort?: string | undefined;
  readonly verbose: boolean;
  readonly bytes?: string | undefined;
  readonly time?: string | undefined;
}

interface Shown {
  readonly at: number;
  readonly heading: string;
  readonly right: boolean;
}

/** The table as text, aligned. */
export function renderText(table: Table, options: TableOptions): string {
  const shown = choose(table, options.headings);
  const lines = sorted(table, options.sort).map((row) => shown.map(({ at }) => cellText(row[at], options) ?? ''));
  const all = options.verbose ? [shown.map(({ heading }) => heading), ...lines] : lines;
  const widths = shown.map((_, at) => Math.max(0, ...all.map((line) => line[at]!.length)));
  const pad = (text: string, at: number) => {
    if (shown[at]!.right) return text.padStart(widths[at]!);
    return at === shown.length - 1 ? text : text.padEnd(widths[at]!);
  };
  return all.map((line) => `${line.map(pad).join(' ')}\n`).join('');
}

/** The table as a list of objects; every value is a text or null. */
export function renderObjects(table: Table, options: TableOptions): Value {
  const shown = choose(table, options.headings);
  return sorted(table, options.sort).map((row) =>
    Object.fromEntries(shown.map(({ at, heading }) => [heading, cellText(row[at], options) ?? null])),
  );
}

/** What `?help` prints: every column with its short names. */
export function renderHelp(columns: readonly Column[]): string {
  const rows = columns.map(({ name, alias, help }) => [name, alias ?? '', help]);
  const width = (at: number) => Math.max(...rows.map((row) => row[at]!.length));
  const widths = [width(0), width(1), width(2)];
  return rows.map((row) => `${row.map((text, at) => text.padEnd(widths[at]!)).join(' | ')}\n`).join('');
}

function choose(table: Table, headings: string | undefined): Shown[] {
  if (headings === undefined)
    return table.columns.flatMap((column, at) => (column.hidden === true ? [] : [show(column, at, column.name)]));
  return splitList(headings).flatMap((heading) => {
    const exact = find(table, heading);
    if (exact >= 0) return [show(table.columns[exact]!, exact, heading)];
    if (!heading.includes('*')) return [];
    const pattern = wildcardToRegExp(heading);
    return table.columns.flatMap((column, at) => (pattern.test(column.name) ? [show(column, at, column.name)] : []));
  });
}

const show = (column: Column, at: number, heading: string): Shown => ({ at, heading, right: column.right ?? false });

const find = (table: Table, name: string) => {
  const exact = table.columns.findIndex((column) => column.name === name);
  return exact >= 0 ? exact : table.columns.findIndex((column) => splitList(column.alias ?? '').includes(name));
};

function sorted(table: Table, sort: string | undefined): readonly (readonly Cell[])[] {
  if (sort === undefined || sort === '') return table.rows;
  const keys = splitList(sort).map((part) => {
    const descending = part.endsWith(':desc');
    const name = part.replace(/:(asc|desc)$/, '');
    const at = find(table, name);
    if (at < 0) throw illegalArgument(`Unable to sort by unknown sort key \`${name}\``);
    return { at, sign: descending ? -1 : 1 };
  });
  return [...table.rows].sort((a, b) => {
    for (const { at, sign } of keys) {
      const order = compare(a[at], b[at]);
      if (order !== 0) return order * sign;
    }
    return 0;
  });
}

function compare(a: Cell, b: Cell): number {
  const x = plain(a);
  const y = plain(b);
  if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? -1 : 1;
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  return String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
}

function plain(cell: Cell): string | number | undefined {
  if (cell === null || cell === undefined) return undefined;
  if (typeof cell !== 'object') return cell;
  return 'bytes' in cell ? cell.bytes : cell.ms;
}

function cellText(cell: Cell, { bytes, time }: TableOptions): string | undefined {
  if (cell === null || cell === undefined) return undefined;
  if (typeof cell !== 'object') return String(cell);
  if ('bytes' in cell) {
    const size = byteSizes[bytes ?? ''];
    return size === undefined ? formatBytes(cell.bytes) : String(Math.floor(cell.bytes / size));
  }
  const unit = timeUnits[time ?? ''];
  return unit === undefined ? formatTime(cell.ms) : String(Math.floor(cell.ms / unit));
}

const byteSizes: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  mb: 1024 ** 2,
  gb: 1024 ** 3,
  tb: 1024 ** 4,
  pb: 1024 ** 5,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
};
const timeUnits: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  micros: 1e-3,
  nanos: 1e-6,
};

/** Rows in aligned columns; the first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

/** Records of one shape as a table with these headings; null is `-`. */
export function recordTable(rows: readonly Readonly<Record<string, unknown>>[], ...columns: readonly string[]): string {
  return table([columns, ...rows.map((row) => Object.values(row).map((value) => String(value ?? '-')))]);
}

/** The same facts as text for people or as JSON for programs. */
export type Format = 'text' | 'json';

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** `3 h 20 min`, `45 s`: how long ago or how long still. Never negative: the clocks of two machines differ by seconds. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

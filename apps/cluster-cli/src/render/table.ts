/** Aligned columns; numbers to the right. */
export function table(columns: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string {
  const cells = [columns, ...rows.map((row) => row.map((cell) => (cell === undefined ? '' : String(cell))))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const right = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (right[at] === true ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join(' ')
      .trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

/** Rows of one shape, with these of their members as columns. */
export const recordTable = (rows: readonly object[], ...columns: readonly string[]): string =>
  table(
    columns,
    rows.map((row) => columns.map((name) => cellOf((row as Readonly<Record<string, unknown>>)[name]))),
  );

const cellOf = (value: unknown) =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'number' ? value : String(value ?? '');

/** One member a line, for a document. */
export function keyValues(document: Readonly<Record<string, unknown>>): string {
  const width = Math.max(0, ...Object.keys(document).map((key) => key.length));
  return Object.entries(document)
    .map(
      ([key, value]) => `${key.padEnd(width)} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}\n`,
    )
    .join('');
}

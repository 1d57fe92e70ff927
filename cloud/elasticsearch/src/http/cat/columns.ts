import type { Call } from '../call.ts';
import type { Endpoint } from '../routes/route.ts';
import data from './columns.json' with { type: 'json' };
import type { Cell, Column, Table } from './table.ts';

export type CatName = keyof typeof data;

/** Columns that came after 7.10, the oldest version that can be reported, with the release that brought them. */
const since: Readonly<Record<string, string>> = {
  'health/unassign.pri': '8.16.0',
  'allocation/shards.undesired': '8.14.0',
  'allocation/write_load.forecast': '8.14.0',
  'allocation/disk.indices.forecast': '8.14.0',
  'allocation/node.role': '8.10.0',
  'shards/dataset': '8.11.0',
  'indices/dataset.size': '8.11.0',
  'snapshots/repository': '7.12.0',
};

/** Columns of a table as the reported version has them. */
export function columnsOf(name: CatName, call: Call): readonly Column[] {
  const key = `${name} ${call.version}`;
  let columns = known.get(key);
  if (columns === undefined) {
    columns = readColumns(name, call);
    known.set(key, columns);
  }
  return columns;
}

const known = new Map<string, readonly Column[]>();

function readColumns(name: CatName, call: Call): Column[] {
  return (data[name] as readonly string[]).flatMap((line) => {
    const [column, alias, help, flags] = line.split('|') as [string, string, string, string];
    const introduced = since[`${name}/${column}`];
    if (introduced !== undefined && !call.atLeast(introduced)) return [];
    return [
      {
        name: column,
        ...(alias === '' ? {} : { alias }),
        help,
        right: flags.includes('r'),
        hidden: flags.includes('h'),
      },
    ];
  });
}

/** Rows of a table that name their cells. */
export type Rows = readonly Readonly<Record<string, Cell>>[];

export function tableOf(name: CatName, call: Call, rows: Rows): Table {
  const columns = columnsOf(name, call);
  return { columns, rows: rows.map((row) => columns.map((column) => row[column.name])) };
}

/** The endpoint of a table. Where only its help is requested nothing is gathered. */
export const catEndpoint = (
  name: CatName,
  endpoint: Omit<Endpoint, 'api' | 'run'>,
  rows: (call: Call) => Promise<Rows> | Rows,
): Endpoint => ({
  ...endpoint,
  api: `cat.${name}`,
  run: async (call) => ({ table: tableOf(name, call, call.flag('help') ? [] : await rows(call)) }),
});

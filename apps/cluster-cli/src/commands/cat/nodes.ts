import { TerminalError } from '@drover/core/errors';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printData } from '../../render/output.ts';
import { table } from '../../render/table.ts';
import type { CommandInput } from '../../tree/types.ts';
import { printRendered } from '../pass-through.ts';

/** The columns of Elasticsearch's own table, and the id. */
const columns = [
  'ip',
  'heap.percent',
  'ram.percent',
  'cpu',
  'load_1m',
  'load_5m',
  'load_15m',
  'node.role',
  'master',
  'name',
  'id',
];
type Row = Readonly<Record<string, string | null>>;

export async function run(context: Context, { args }: CommandInput): Promise<number> {
  const client = context.search({ monitoring: true });
  if (args.NODE === undefined) {
    await printRendered(context, client, `/_cat/nodes${context.format === 'text' ? '?v=true' : ''}`);
    return exitCodes.done;
  }
  const path = `/_cat/nodes?format=json&full_id=true&h=${columns.join(',')}`;
  const rows = await client.json<readonly Row[]>({ method: 'GET', path });
  const found = rows.filter((row) => [row.ip, row.name, row.id].includes(args.NODE!));
  if (found.length === 0) throw unknownNode(args.NODE, rows);
  await printData(
    found,
    () =>
      table(
        columns,
        found.map((row) => columns.map((name) => row[name] ?? '')),
      ),
    context.format,
    context.io,
  );
  return exitCodes.done;
}

const unknownNode = (wanted: string, rows: readonly Row[]) =>
  new TerminalError(`no node ${wanted} is in the cluster (there are ${rows.map((row) => row.name).join(', ')})`, {
    remedy: 'give its id, name or address',
  });

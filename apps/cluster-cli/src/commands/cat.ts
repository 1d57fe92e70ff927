import { TerminalError } from '@drover/core/errors';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit.ts';
import { recordTable } from '../render/table.ts';
import type { CommandInput } from '../tree/tree.ts';
import { printRendered } from './pass-through.ts';

/** A table that Elasticsearch renders itself. */
export const catTable =
  (name: string) =>
  async (context: Context): Promise<number> => {
    const header = context.format === 'text' ? '?v=true' : '';
    await printRendered(context, context.search({ monitoring: true }), `/_cat/${name}${header}`);
    return exitCodes.done;
  };

/** The snapshots of all repositories, or of one. */
export const catSnapshots = (context: Context, { args }: CommandInput<'cat snapshots'>): Promise<number> =>
  catTable(args.REPOSITORY === undefined ? 'snapshots' : `snapshots/${encodeURIComponent(args.REPOSITORY)}`)(context);

/** The columns of Elasticsearch's own table, and the id. */
const nodeColumns = [
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

/** The nodes as Elasticsearch renders them, or one of them. */
export async function catNodes(context: Context, { args }: CommandInput<'cat nodes'>): Promise<number> {
  const wanted = args.NODE;
  if (wanted === undefined) return await catTable('nodes')(context);
  const path = `/_cat/nodes?format=json&full_id=true&h=${nodeColumns.join(',')}`;
  const rows = await context.search({ monitoring: true }).json<readonly Row[]>({ method: 'GET', path });
  const found = rows.filter((row) => [row.ip, row.name, row.id].includes(wanted));
  if (found.length === 0) throw unknownNode(wanted, rows);
  await context.print(found, () => recordTable(found, ...nodeColumns));
  return exitCodes.done;
}

const unknownNode = (wanted: string, rows: readonly Row[]) =>
  new TerminalError(`no node ${wanted} is in the cluster (there are ${rows.map((row) => row.name).join(', ')})`, {
    remedy: 'give its id, name or address',
  });

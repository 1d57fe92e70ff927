import { snapshotPath } from '@drover/adapters/elasticsearch';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { printRendered } from '../pass-through.ts';

/** The columns of the list, in this order. */
const columns = [
  'id',
  'repository',
  'status',
  'start_epoch',
  'start_time',
  'end_epoch',
  'end_time',
  'duration',
  'indices',
];
/** Elasticsearch reads the repository itself to list it. */
const leastTimeoutMs = 60_000;

/** Lists the snapshots of all repositories, or of one. */
export async function list(context: Context, { args }: CommandInput<'snapshots list'>): Promise<number> {
  const below = args.REPOSITORY === undefined ? '_all' : encodeURIComponent(args.REPOSITORY);
  const header = context.format === 'text' ? 'v=true&' : '';
  await printRendered(
    context,
    context.search({ monitoring: true }),
    `/_cat/snapshots/${below}?${header}h=${columns.join(',')}`,
    leastTimeoutMs,
  );
  return exitCodes.done;
}

/** Shows the progress of a snapshot, shard by shard. */
export async function status(context: Context, { args }: CommandInput<'snapshots status'>): Promise<number> {
  const pretty = context.format === 'text' ? '?pretty=true' : '';
  await printRendered(context, context.search(), `${snapshotPath(args.REPOSITORY, args.SNAPSHOT)}/_status${pretty}`);
  return exitCodes.done;
}

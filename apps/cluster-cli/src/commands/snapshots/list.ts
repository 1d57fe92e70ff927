import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { CommandInput } from '../../tree/types.ts';
import { printRendered } from '../pass-through.ts';

/** Exactly these, in this order. */
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
/** Listing reads the repository itself. */
const leastTimeoutMs = 60_000;

export async function run(context: Context, { args }: CommandInput): Promise<number> {
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

import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { CommandInput } from '../../tree/types.ts';
import { printRendered } from '../pass-through.ts';

/** Every table that Elasticsearch renders itself. */
export async function run(context: Context, { args, words }: CommandInput): Promise<number> {
  const below = args.REPOSITORY === undefined ? '' : `/${encodeURIComponent(args.REPOSITORY)}`;
  const header = context.format === 'text' ? '?v=true' : '';
  await printRendered(context, context.search({ monitoring: true }), `/_cat/${words.at(-1)}${below}${header}`);
  return exitCodes.done;
}

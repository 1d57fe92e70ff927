import { snapshotPath } from '@drover/adapters/search/snapshots';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { CommandInput } from '../../tree/types.ts';
import { printRendered } from '../pass-through.ts';

export async function run(context: Context, { args }: CommandInput): Promise<number> {
  const pretty = context.format === 'text' ? '?pretty=true' : '';
  await printRendered(context, context.search(), `${snapshotPath(args.REPOSITORY!, args.SNAPSHOT!)}/_status${pretty}`);
  return exitCodes.done;
}

import { confirm } from '../../confirm.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { CommandInput } from '../../tree/types.ts';

export async function run(context: Context, { args, options }: CommandInput): Promise<number> {
  const repository = args.REPOSITORY!;
  if (!(await confirm(context, `forget repository ${repository}`, options.yes === true))) return exitCodes.refused;
  await context.search().json({ method: 'DELETE', path: `/_snapshot/${encodeURIComponent(repository)}` });
  context.log.info(`repository ${repository} is forgotten; its snapshots stay in the bucket`);
  return exitCodes.done;
}

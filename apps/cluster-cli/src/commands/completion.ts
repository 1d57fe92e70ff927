import { completionScript, type Shell } from '../completion/script.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandInput } from '../tree/types.ts';

export async function run(context: Context, { args }: CommandInput): Promise<number> {
  await context.io.stdout.write(completionScript(args.SHELL as Shell));
  return exitCodes.done;
}

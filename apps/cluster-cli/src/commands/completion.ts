import { completionScript } from '@drover/command-tree/completion';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit.ts';
import { type CommandInput, tree } from '../tree/tree.ts';

/** Prints the completion script of a shell, made from the command tree. */
export async function completion(context: Context, { args }: CommandInput<'completion'>): Promise<number> {
  await context.io.stdout.write(completionScript(args.SHELL, tree));
  return exitCodes.done;
}

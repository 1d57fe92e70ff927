import { parse } from '@drover/command-tree';
import { moduleVersion } from '@drover/core/names/version';
import { exitCodes } from '@drover/operator/exit-codes';
import type { DroverIo } from '@drover/operator/io';
import { commandOf } from './commands.ts';
import { explain } from './first-errors.ts';
import { tree } from './tree/tree.ts';

/** Set by the bundler: the commit that the command was built from, so that builds between two releases can be told apart. */
declare const droverCommit: string | undefined;

/** Runs one command line; returns the exit code. */
export async function main(argv: readonly string[], io: DroverIo): Promise<number> {
  const parsed = parse(tree, withoutHelpWord(argv), io.env);
  switch (parsed.kind) {
    case 'invocation': {
      const { name, input } = parsed.invocation;
      return await commandOf(name)(io, input).catch((error: unknown) => {
        const { aborted, reason } = io.signal;
        io.stderr(`drover: ${aborted && error === reason ? 'interrupted: run it again' : explain(error)}\n`);
        return aborted ? exitCodes.interrupted : exitCodes.failed;
      });
    }
    case 'help': {
      const { helpText } = await import('@drover/command-tree/help');
      (parsed.asked ? io.stdout : io.stderr)(helpText(tree, parsed.path, io.terminal?.columns));
      return parsed.asked ? exitCodes.done : exitCodes.usage;
    }
    case 'version':
      io.stdout(`${moduleVersion}${typeof droverCommit === 'string' ? ` (${droverCommit})` : ''}\n`);
      return exitCodes.done;
    case 'mistake':
      io.stderr(`drover: ${parsed.message} (add --help for the options)\n`);
      return exitCodes.usage;
  }
}

/** `drover help fleet` is `drover fleet --help`. */
const withoutHelpWord = ([first, ...rest]: readonly string[]): readonly string[] =>
  first === undefined ? [] : first === 'help' ? [...rest, '--help'] : [first, ...rest];

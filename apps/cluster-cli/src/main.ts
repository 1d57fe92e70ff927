import { type Invocation, parse } from '@drover/command-tree';
import { loadOnce } from '@drover/core/load-once';
import pkg from '../package.json' with { type: 'json' };
import { commandOf, preloadCommands } from './commands/commands.ts';
import { awsModule, Context } from './context.ts';
import { exitCodes, reportFailure } from './exit.ts';
import type { Io } from './io.ts';
import { formatsModule } from './render/output.ts';
import { tree } from './tree/tree.ts';

export type { Io } from './io.ts';

/** Runs one command line and returns its exit code. Never throws, and touches nothing outside `io`. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const parsed = parse(tree, argv, io.env);
    switch (parsed.kind) {
      case 'invocation':
        return await execute(parsed.invocation, io);
      case 'help':
        await (parsed.asked ? io.stdout : io.stderr).write(await help(parsed.path, io));
        return parsed.asked ? exitCodes.done : exitCodes.usage;
      case 'version':
        await io.stdout.write(`${pkg.version}\n`);
        return exitCodes.done;
      case 'mistake':
        await io.stderr.write(`cluster-cli: ${parsed.message}\n`);
        return exitCodes.usage;
    }
  } catch (error) {
    return reportFailure(error, io);
  }
}

const helpModule = loadOnce(() => import('@drover/command-tree/help'));

async function help(path: readonly string[], { stdout }: Io): Promise<string> {
  const { helpText } = await helpModule();
  return helpText(tree, path, stdout.isTTY ? stdout.columns : undefined);
}

async function execute({ name, globals, input }: Invocation<typeof tree>, io: Io): Promise<number> {
  const context = new Context(io, globals);
  try {
    return await commandOf(name)(context, input);
  } finally {
    context.progress.clear();
  }
}

/**
 * Loads the large libraries that are otherwise loaded on demand. A simulation does this first: loading takes real time, in which
 * virtual time would pass.
 */
export async function preload(): Promise<void> {
  const { preloadSdk } = await awsModule();
  await Promise.all([formatsModule(), helpModule(), preloadSdk(), preloadCommands()]);
}

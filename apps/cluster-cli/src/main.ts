import { preloadSdk } from '@drover/adapters/aws/lazy-sdk';
import pkg from '../package.json' with { type: 'json' };
import { commandOf, preloadCommands } from './commands/commands.ts';
import { Context } from './context.ts';
import { exitCodes, reportFailure } from './exit.ts';
import type { Io } from './io.ts';
import { helpText } from './parse/help.ts';
import { type Invocation, parse, withEnvironment } from './parse/parse.ts';
import { formatsModule } from './render/output.ts';

export type { Io } from './io.ts';

/** Runs one command line and returns its exit code. Never throws, and touches nothing outside `io`. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const parsed = parse(withEnvironment(argv, io.env));
    switch (parsed.kind) {
      case 'invocation':
        return await execute(parsed.invocation, io);
      case 'help':
        await (parsed.asked ? io.stdout : io.stderr).write(
          helpText(parsed.path, io.stdout.isTTY ? io.stdout.columns : undefined),
        );
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

async function execute({ name, globals, input }: Invocation, io: Io): Promise<number> {
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
  await Promise.all([formatsModule(), preloadSdk(), preloadCommands()]);
}

import { loadOnce } from '@drover/core/load-once';
import { loadCommand } from './commands/load.ts';
import { Context } from './context.ts';
import type { Io } from './io.ts';
import { parseQuickly } from './parse/quick.ts';
import { tree } from './tree/tree.ts';
import type { Invocation } from './tree/types.ts';
import { version } from './version.ts';
import { withEnvironment } from './with-environment.ts';

const failureModule = loadOnce(() => import('./report-failure.ts'));
const parserModule = loadOnce(() => import('./parse/full.ts'));

/** Loads what the full path needs of this file. */
export const preloadMain = async (): Promise<unknown> => [await failureModule(), await parserModule()];

/** Runs one command line; answers the exit code. Never throws, and touches nothing outside `io`. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const words = withEnvironment(argv, io.env);
    const parsed = parseQuickly(words) ?? (await parseOtherwise(words, io));
    if (typeof parsed === 'number') return parsed;
    return await execute(parsed, io);
  } catch (error) {
    const { reportFailure } = await failureModule();
    return reportFailure(error, io);
  }
}

async function parseOtherwise(argv: readonly string[], io: Io): Promise<Invocation | number> {
  const { parseFully } = await parserModule();
  const parsed = parseFully(argv, tree, {
    version,
    out: (text) => void io.stdout.write(text),
    err: (text) => void io.stderr.write(text),
  });
  return 'exitCode' in parsed ? parsed.exitCode : parsed.invocation;
}

async function execute({ command, globals, input }: Invocation, io: Io): Promise<number> {
  const context = new Context(io, globals);
  try {
    const { run } = await loadCommand(command);
    return await run(context, input);
  } finally {
    context.progress.clear();
  }
}

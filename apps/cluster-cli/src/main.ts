import { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';
import { parseQuickly } from './parse/quick.ts';
import { tree } from './tree/tree.ts';
import type { Invocation } from './tree/types.ts';
import { version } from './version.ts';

/** Runs one command line; answers the exit code. Never throws, and touches nothing outside `io`. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const words = withEnvironment(argv, io.env);
    const parsed = parseQuickly(words) ?? (await parseOtherwise(words, io));
    if (typeof parsed === 'number') return parsed;
    return await execute(parsed, io);
  } catch (error) {
    const { reportFailure } = await import('./report-failure.ts');
    return reportFailure(error, io);
  }
}

async function parseOtherwise(argv: readonly string[], io: Io): Promise<Invocation | number> {
  const { parseFully } = await import('./parse/full.ts');
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
    const { run } = await command.load();
    return await run(context, input);
  } finally {
    context.progress.clear();
  }
}

/** Environment variables stand for options that were not typed: a typed one comes later and wins. */
function withEnvironment(argv: readonly string[], env: Io['env']): readonly string[] {
  const { CLUSTER_CLI_ES_HOST: host, CLUSTER_CLI_ES_PORT: port } = env;
  return [
    ...(host === undefined || host === '' ? [] : [`--es-host=${host}`]),
    ...(port === undefined || port === '' ? [] : [`--es-port=${port}`]),
    ...argv,
  ];
}

export { exitCodes };

import { run as callApi } from './commands/api.ts';
import { run as printTable } from './commands/cat/table.ts';
import { printHealth } from './commands/print-health.ts';
import { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';
import { instanceMetadata } from './metadata.ts';
import { parseQuickly } from './parse/quick.ts';
import { reportFailure } from './report-failure.ts';
import type { CommandInput, Invocation } from './tree/types.ts';
import { withEnvironment } from './with-environment.ts';

/**
 * What runs most often, on every node and every few minutes, in a file so small that it costs next to nothing to start:
 * the health, the tables, what is read from the API, and the scheduled drain of a node that is not terminating. Undefined: everything else.
 */
export async function runQuickly(argv: readonly string[], io: Io): Promise<number | undefined> {
  const invocation = parseQuickly(withEnvironment(argv, io.env));
  const run = invocation === undefined ? undefined : quickRun(invocation);
  if (run === undefined) return undefined;
  try {
    const code = await run(new Context(io, invocation!.globals), invocation!.input);
    // Who pressed Ctrl-C meanwhile does not want the full command to begin.
    if (code === undefined) io.signal.throwIfAborted();
    return code;
  } catch (error) {
    return reportFailure(error, io);
  }
}

type QuickRun = (context: Context, input: CommandInput) => Promise<number | undefined>;

function quickRun({ command, input }: Invocation): QuickRun | undefined {
  const [first, second] = command.path;
  if (first === 'cluster-health') return input.options['wait-for'] === undefined ? healthRun : undefined;
  if (first === 'cat') return input.args.NODE === undefined ? printTable : undefined;
  if (first === 'api') return input.args.METHOD === 'GET' && input.options.data === undefined ? callApi : undefined;
  return second === 'decommission-node' && input.options['only-if-terminating'] === true ? idleDrain : undefined;
}

const healthRun: QuickRun = (context, { options }) =>
  printHealth(context, options['fail-unless'] as 'green' | undefined);

/** Where the instance is going is the whole answer on nearly every run; anything else is left to the full command. */
const idleDrain: QuickRun = async (context) => {
  const target = await instanceMetadata(context).targetLifecycleState();
  if (target === 'Terminated') return undefined;
  context.log.debug(`not terminating: the target state is ${target ?? 'unknown'}`);
  return exitCodes.done;
};

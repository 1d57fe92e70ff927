import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { TerminalError } from '@drover/core';
import { type FunctionSuffix, functionSuffixes } from '@drover/core/names/runner-fleet';
import { type DroverIo, type OperatorClients, serviceNow } from '../io.ts';
import { outputNamed } from '../output/read-outputs.ts';
import { openFleet } from './open-fleet.ts';

/** One line of a function's log. */
export interface LogLine {
  readonly at: number;
  readonly text: string;
}

/** Which lines: of a log group, since a moment, matching a filter pattern of CloudWatch Logs. */
interface LogFilter {
  readonly logGroupName: string;
  readonly startTime: number;
  readonly filterPattern?: string | undefined;
}

/** The matching lines, oldest first, of all pages: a page may be empty although lines follow. */
export async function* logLines({ logs }: Pick<OperatorClients, 'logs'>, filter: LogFilter): AsyncGenerator<LogLine> {
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, filter))
    for (const { timestamp, message } of events) yield { at: timestamp ?? 0, text: (message ?? '').trim() };
}

/** `drover fleet logs FUNCTION`: what a function logged in the last minutes, oldest first. */
export async function fleetLogs(
  io: DroverIo,
  name: string,
  options: { stack: string; minutes: number; grep?: string },
): Promise<number> {
  const suffix = suffixOf(name);
  const { aws, outputs, stack } = await openFleet(io, options);
  const filter = {
    logGroupName: outputNamed(outputs, stack, `${suffix}_log_group`),
    startTime: serviceNow(io) - options.minutes * 60_000,
    filterPattern: options.grep === undefined ? undefined : JSON.stringify(options.grep),
  };
  for await (const { at, text } of logLines(aws, filter)) io.stdout(`${new Date(at).toISOString()} ${text}\n`);
  return 0;
}

/** By its suffix or its whole name; `x_deregistration` ends with `registration` too, so the longest counts. */
function suffixOf(name: string): FunctionSuffix {
  const [longest] = functionSuffixes
    .filter((suffix) => name === suffix || name.endsWith(`_${suffix}`))
    .sort((a, b) => b.length - a.length);
  if (longest !== undefined) return longest;
  throw new TerminalError(`there is no function ${name}`, { remedy: `allowed are ${functionSuffixes.join(', ')}` });
}

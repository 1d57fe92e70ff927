import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { TerminalError } from '@drover/core';
import {
  type FunctionSuffix,
  functionsOf,
  type LogSource,
  logSources,
  logStream,
} from '@drover/core/names/runner-fleet';
import { type DroverIo, type OperatorClients, pause, serviceNow } from '../io.ts';
import { outputNamed, type StackOutputs } from '../output/read-outputs.ts';
import type { Format } from '../render/table.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';

/** One line of a log. */
export interface LogLine {
  readonly at: number;
  readonly stream: string;
  readonly text: string;
}

/** Which lines: of a log group, since a moment, matching a filter pattern of CloudWatch Logs. */
interface LogFilter {
  readonly logGroupName: string;
  readonly startTime: number;
  readonly filterPattern?: string | undefined;
  readonly logStreamNamePrefix?: string;
}

/** The matching lines, oldest first, of all pages: a page may be empty although lines follow. */
export async function* logLines({ logs }: Pick<OperatorClients, 'logs'>, filter: LogFilter): AsyncGenerator<LogLine> {
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, filter))
    for (const { timestamp, logStreamName, message } of events)
      yield { at: timestamp ?? 0, stream: logStreamName ?? '', text: (message ?? '').trim() };
}

/** The log group of a function: an output, but for `demand` and `image`, which not every fleet has; they are named like the others. */
export const functionLog = (outputs: StackOutputs, suffix: FunctionSuffix): string | undefined =>
  outputs.get(`${suffix}_log_group`) ?? outputs.get('registration_log_group')?.replace(/registration$/, suffix);

/** A line that an instance sent, from one of its sources. */
interface InstanceLine extends LogLine {
  readonly source: LogSource;
}

/** Log lines of an instance since a moment, even if it is gone; all of them, or those of one source. */
export async function* instanceLines(
  { aws, outputs, stack }: Pick<OpenFleet, 'aws' | 'outputs' | 'stack'>,
  instanceId: string,
  { startTime, source, filterPattern }: { startTime: number; source?: LogSource; filterPattern?: string | undefined },
): AsyncGenerator<InstanceLine> {
  const own = logStream(instanceId, '' as LogSource);
  const filter = {
    logGroupName: outputNamed(outputs, stack, 'instance_log_group'),
    // Streams by their names would be an error if one of them does not exist.
    logStreamNamePrefix: `${own}${source ?? ''}`,
    startTime,
    filterPattern,
  };
  for await (const line of logLines(aws, filter)) yield { ...line, source: line.stream.slice(own.length) as LogSource };
}

/** Options of `drover fleet logs`. */
export interface LogOptions {
  readonly stack: string;
  readonly minutes: number;
  /** Instead of `minutes`. */
  readonly since?: Since;
  readonly source?: LogSource;
  readonly grep?: string;
  /** Goes on with new lines until Ctrl-C. */
  readonly follow?: boolean;
  /** Of a function: also what Lambda writes about each run. */
  readonly all?: boolean;
  /** @default text */
  readonly format?: Format;
}

const followEveryMs = 2_000;

/** The lines since a moment; with `follow` also those that come, each once. */
export async function* readLines<Line extends LogLine>(
  io: Pick<DroverIo, 'clock' | 'signal'>,
  follow: boolean,
  startTime: number,
  read: (startTime: number) => AsyncIterable<Line>,
): AsyncGenerator<Line> {
  let last = startTime;
  // Lines of one moment may come after others of it were read.
  let shown = new Set<string>();
  for (;;) {
    for await (const line of read(last)) {
      const known = `${line.at} ${line.stream} ${line.text}`;
      if (follow && shown.has(known)) continue;
      if (line.at > last) shown = new Set();
      last = Math.max(last, line.at);
      shown.add(known);
      yield line;
    }
    if (!follow || !(await pause(io, followEveryMs))) return;
  }
}

/** A moment in the past, by the present one. */
export type Since = (now: number) => number;

/** `drover fleet logs FUNCTION|INSTANCE`: what a function or an instance logged, oldest first. */
export async function fleetLogs(io: DroverIo, name: string, options: LogOptions): Promise<number> {
  const { source, follow = false, grep } = options;
  const now = serviceNow(io);
  const startTime = options.since?.(now) ?? now - options.minutes * 60_000;
  const filterPattern = grep === undefined ? undefined : JSON.stringify(grep);
  const fleet = await openFleet(io, options);
  const ofInstance = /^i-[0-9a-f]+$/.test(name);
  const only = { filterPattern, ...(source === undefined ? {} : { source }) };
  const read = ofInstance
    ? (since: number) => instanceLines(fleet, name, { ...only, startTime: since })
    : functionLines(fleet, name, filterPattern);
  let found = 0;
  for await (const line of readLines<LogLine & { readonly source: string }>(io, follow, startTime, read)) {
    if (!ofInstance && options.all !== true && ofLambda.test(line.text)) continue;
    io.stdout(lineText(line, options, ofInstance));
    found += 1;
  }
  if (!ofInstance || found > 0 || grep !== undefined || follow) return 0;
  throw new TerminalError(
    `${name} has sent no ${source === undefined ? '' : `${source} `}log since ${new Date(startTime).toISOString()}`,
    { remedy: `look further back with --since 7d; sources are ${logSources.join(', ')}` },
  );
}

/** Reads the lines of a function since a moment. */
function functionLines(
  { aws, outputs, stack, config, imageBakeDays }: OpenFleet,
  name: string,
  filterPattern: string | undefined,
) {
  const source = suffixOf(name, functionsOf(config.scalingMode, imageBakeDays !== undefined));
  const logGroupName = functionLog(outputs, source) ?? outputNamed(outputs, stack, `${source}_log_group`);
  return async function* (startTime: number) {
    for await (const line of logLines(aws, { logGroupName, startTime, filterPattern })) yield { ...line, source };
  };
}

/** Lines that Lambda itself writes about each run. */
const ofLambda = /^(INIT_START|START|END|REPORT|EXTENSION|TELEMETRY)\b/;
/** Lambda's own beginning of a line that a Node.js function wrote: its time, the id of the run, the level. */
const lambdaPrefix = /^\S+Z\t[0-9a-f-]{36}\t\w+\t/;

/** One line; as JSON, one object a line, so that it can be followed. */
function lineText(
  { at, source, text }: LogLine & { readonly source: string },
  { format }: LogOptions,
  ofInstance: boolean,
): string {
  const time = new Date(at).toISOString();
  const said = text.replace(lambdaPrefix, '');
  if (format === 'json') return `${JSON.stringify({ at: time, source, text: said })}\n`;
  return ofInstance ? `${time} ${source.padEnd(10)} ${text}\n` : `${time} ${said}\n`;
}

/** By its suffix or its whole name; `x_deregistration` ends with `registration` too, so the longest counts. */
function suffixOf(name: string, suffixes: readonly FunctionSuffix[]): FunctionSuffix {
  const [longest] = suffixes
    .filter((suffix) => name === suffix || name.endsWith(`_${suffix}`))
    .sort((a, b) => b.length - a.length);
  if (longest !== undefined) return longest;
  throw new TerminalError(`there is no function ${name}`, {
    remedy: `allowed are ${suffixes.join(', ')}, or the id of an instance (i-…)`,
  });
}

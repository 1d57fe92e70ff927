import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { passThrough } from '../render/output.ts';
import { UsageError } from '../report-failure.ts';
import type { CommandInput } from '../tree/types.ts';
import { withFormat } from './pass-through.ts';

/** One call to Elasticsearch's API, its body printed as it comes. */
export async function run(context: Context, { args, options }: CommandInput): Promise<number> {
  const method = args.METHOD!;
  const typed = args.PATH!.startsWith('/') ? args.PATH! : `/${args.PATH!}`;
  const path = /[?&]format=/.test(typed) ? typed : withFormat(typed, context.format, false);
  const data = options.data as string | undefined;
  const body = data === undefined ? undefined : await readBody(context, data, typed);
  const answer = await context.search().stream({ method, path, ...(body ?? {}) });
  await passThrough(answer, context.format, context.io);
  if (answer.status < 400) return exitCodes.done;
  context.log.error(`Elasticsearch answered ${answer.status}`);
  return exitCodes.failed;
}

async function readBody(context: Context, data: string, path: string) {
  const text = await textOf(context, data);
  if (takesLines(path)) return { body: text.endsWith('\n') ? text : `${text}\n`, contentType: 'application/x-ndjson' };
  try {
    JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the body after -d is not JSON: ${(error as Error).message}`);
  }
  return { body: text, contentType: 'application/json' };
}

async function textOf(context: Context, data: string): Promise<string> {
  if (data === '-') return await context.io.stdin.read();
  if (!data.startsWith('@')) return data;
  const text = await context.io.files.read(data.slice(1));
  if (text === undefined) throw new UsageError(`the body's file ${data.slice(1)} does not exist`);
  return text;
}

/** These take one JSON document a line. */
const takesLines = (path: string) => /\/_(bulk|msearch(\/template)?)(\?|$)/.test(path);

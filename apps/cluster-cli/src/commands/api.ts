import type { Context } from '../context.ts';
import { exitCodes, UsageError } from '../exit.ts';
import { passThrough } from '../render/output.ts';
import type { CommandInput } from '../tree/tree.ts';
import { withFormat } from './pass-through.ts';

/** One call to Elasticsearch's API; the body of the response is printed while it arrives. */
export async function api(context: Context, { args, options }: CommandInput<'api'>): Promise<number> {
  const typed = args.PATH.startsWith('/') ? args.PATH : `/${args.PATH}`;
  const path = /[?&]format=/.test(typed) ? typed : withFormat(typed, context.format, false);
  const body = options.data === undefined ? undefined : await readBody(context, options.data, typed);
  const response = await context.search().stream({ method: args.METHOD, path, ...(body ?? {}) });
  await passThrough(response, context.format, context.io);
  if (response.status < 400) return exitCodes.done;
  context.log.error(`Elasticsearch returned ${response.status}`);
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

/** These APIs take one JSON document a line. */
const takesLines = (path: string) => /\/_(bulk|msearch(\/template)?)(\?|$)/.test(path);

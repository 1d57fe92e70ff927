import { answeredError, readAll, type SearchClient } from '@drover/adapters/elasticsearch/client';
import type { Context } from '../context.ts';
import { passThrough } from '../render/output.ts';
import type { Format } from '../tree/globals.ts';

/** Elasticsearch's errors are short; more than this comes from something else. */
const errorLimitBytes = 1024 * 1024;

/** Has Elasticsearch render the response in the wanted format, and prints it unchanged while it arrives. */
export async function printRendered(
  context: Context,
  client: SearchClient,
  path: string,
  leastTimeoutMs = 0,
): Promise<void> {
  const rendered = withFormat(path, context.format, context.io.stdout.isTTY);
  const timeoutMs = Math.max(context.requestTimeoutMs, leastTimeoutMs);
  const response = await client.stream({ method: 'GET', path: rendered, timeoutMs });
  if (response.status >= 400) {
    const body = Buffer.from(await readAll(response, errorLimitBytes, path)).toString('utf8');
    throw answeredError(response.status, body, `GET ${path.split('?')[0]}`);
  }
  await passThrough(response, context.format, context.io);
}

/** The format as a parameter that Elasticsearch knows; a terminal gets JSON that people can read. */
export function withFormat(path: string, format: Format, terminal: boolean): string {
  if (format === 'text') return path;
  const pretty = format === 'json' && terminal ? '&pretty=true' : '';
  return `${path}${path.includes('?') ? '&' : '?'}format=${format}${pretty}`;
}

import type { IncomingMessage } from 'node:http';
import { collectText } from './collect-text.ts';
import { type HttpQuestion, sendHttp } from './send-http.ts';

const mostRedirects = 5;

/**
 * `fetch`, as far as the platform's client uses it, over Node's own HTTP client: the built-in one takes longer to load than
 * all the rest of a function.
 */
export const nodeFetch = (async (address: string, asked: HttpQuestion = {}) => {
  let url = new URL(address);
  let headers: Readonly<Record<string, string>> = { 'accept-encoding': 'gzip', ...asked.headers };
  for (let hops = 0; ; hops++) {
    const message = await sendHttp(url, { ...asked, headers });
    const target = redirectOf(message, asked.method, url);
    if (target === undefined) return await toResponse(message, url);
    message.resume();
    if (hops === mostRedirects) throw new Error(`${address} redirects more than ${mostRedirects} times`);
    // Credentials are for the host that they were meant for.
    if (target.origin !== url.origin) headers = without(headers, 'authorization');
    url = target;
  }
}) as unknown as typeof fetch;

/**
 * The new address of something that moved. A request that changes something is sent again only if the response asks for
 * the very same request.
 */
function redirectOf({ statusCode = 0, headers }: IncomingMessage, method = 'GET', from: URL): URL | undefined {
  const followed = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308];
  if (headers.location === undefined || !followed.includes(statusCode)) return undefined;
  return new URL(headers.location, from);
}

async function toResponse(message: IncomingMessage, url: URL) {
  const body = await decoded(message);
  const headers = new Map(
    Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value!]),
  );
  const status = message.statusCode ?? 0;
  return {
    status,
    statusText: message.statusMessage,
    ok: status >= 200 && status < 300,
    url: url.href,
    headers,
    body,
    text: () => collectText(body),
  };
}

async function decoded(message: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  if (message.headers['content-encoding'] !== 'gzip') return message;
  const { createGunzip } = process.getBuiltinModule('node:zlib');
  const plain = createGunzip();
  message.on('error', (error) => plain.destroy(error));
  return message.pipe(plain);
}

const without = (headers: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name));

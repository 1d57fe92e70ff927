import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** The part of `fetch` that the platform's client uses. */
interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly signal?: AbortSignal;
}

const mostRedirects = 5;
const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) } as const;

/**
 * `fetch` over Node's own HTTP client, which the AWS SDK has loaded anyway. The built-in one takes longer to load than all
 * the rest of a function.
 */
export const nodeFetch = (async (address: string, asked: Asked = {}) => {
  let url = new URL(address);
  let headers = { 'accept-encoding': 'gzip', ...asked.headers };
  for (let hops = 0; ; hops++) {
    const message = await answerOf(url, { ...asked, headers });
    const target = redirectOf(message, asked.method, url);
    if (target === undefined) return await toResponse(message, url);
    message.resume();
    if (hops === mostRedirects) throw new Error(`${address} redirects more than ${mostRedirects} times`);
    // Credentials are for the host that they were meant for.
    if (target.origin !== url.origin) headers = without(headers, 'authorization');
    url = target;
  }
}) as unknown as typeof fetch;

/** A kept connection may have been closed by the other side in the moment that it is used again: then it is tried anew. */
async function answerOf(url: URL, asked: Asked): Promise<IncomingMessage> {
  try {
    return await send(url, asked);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return await send(url, asked);
  }
}

class StaleConnection extends Error {}

function send(url: URL, { method = 'GET', headers, body, signal }: Asked): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
    const open = protocol === 'http:' ? requestHttp : requestHttps;
    const request = open(url, { method, headers: { ...headers }, agent: agents[protocol] }, resolve);
    const abort = () => request.destroy(signal?.reason as Error);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    request.on('close', () => signal?.removeEventListener('abort', abort));
    request.on('error', (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && error.code === 'ECONNRESET';
      reject(stale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    request.end(body ?? undefined);
  });
}

/** Where a moved thing is now. What changes something is sent again only where the answer asks for the very same request. */
function redirectOf({ statusCode = 0, headers }: IncomingMessage, method = 'GET', from: URL): URL | undefined {
  const followed = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308];
  if (headers.location === undefined || !followed.includes(statusCode)) return undefined;
  return new URL(headers.location, from);
}

async function toResponse(message: IncomingMessage, url: URL) {
  const body = await decoded(message);
  const text = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  };
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
    text,
  };
}

async function decoded(message: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  if (message.headers['content-encoding'] !== 'gzip') return message;
  const { createGunzip } = await import('node:zlib');
  const plain = createGunzip();
  message.on('error', (error) => plain.destroy(error));
  return message.pipe(plain);
}

function without(headers: Readonly<Record<string, string>>, name: string) {
  const kept = Object.entries(headers).filter(([key]) => key.toLowerCase() !== name);
  return Object.fromEntries(kept) as { 'accept-encoding': string };
}

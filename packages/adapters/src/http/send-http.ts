import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { envProxy } from './env-proxy.ts';

export interface HttpQuestion {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  /** Sent instead of the body. */
  readonly stream?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Idle time after which a connection is closed. @default never */
  readonly silenceMs?: number;
}

/** As many connections to a host as the AWS SDK opens: each takes memory, and TLS seconds of a small function. */
const options = { keepAlive: true, maxSockets: 50, ...envProxy() };
const plain = new HttpAgent(options);
const secure = new HttpsAgent(options);

/** A kept connection may have been closed by the server in the moment that it is used again: then the request is sent again. */
export async function sendHttp(url: URL, question: HttpQuestion): Promise<IncomingMessage> {
  try {
    return await send(url, question);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return await send(url, question);
  }
}

class StaleConnection extends Error {}

function send(url: URL, question: HttpQuestion): Promise<IncomingMessage> {
  const { method = 'GET', headers, body, stream, signal, silenceMs } = question;
  return new Promise((resolve, reject) => {
    const [open, agent] = url.protocol === 'http:' ? [requestHttp, plain] : [requestHttps, secure];
    const request = open(url, { method, headers: { ...headers }, agent, timeout: silenceMs }, resolve);
    const abort = () => request.destroy(signal?.reason as Error);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
    request.on('close', () => signal?.removeEventListener('abort', abort));
    request.on('timeout', () => request.destroy(new Error(`${url.host} said nothing for ${silenceMs} ms`)));
    request.on('error', (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && error.code === 'ECONNRESET';
      reject(stale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    if (stream === undefined) request.end(body ?? undefined);
    else pipeline(Readable.from(stream), request, (error) => error && reject(error));
  });
}

import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { ExchangeRequest, ExchangeResponse, HttpExchange } from './exchange.ts';

export interface SocketOptions {
  /** Certificates (PEM) that are trusted in addition to the system's own. */
  readonly ca?: string | undefined;
}

/** Exchanges over real sockets with `node:http(s)`: unlike `fetch` it sends a GET with a body. Connections are kept. */
export function socketExchange(options: SocketOptions = {}): HttpExchange {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let secure: Promise<(exchange: ExchangeRequest) => Promise<ExchangeResponse>> | undefined;
  return async (exchange) => {
    if (exchange.protocol === 'http')
      return await send((given, onResponse) => request({ ...given, agent }, onResponse), exchange);
    secure ??= secureSender(options);
    return await (await secure)(exchange);
  };
}

/** TLS is loaded only when it is used. */
async function secureSender(options: SocketOptions) {
  const https = await import('node:https');
  const { rootCertificates } = await import('node:tls');
  const ca = options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] };
  const agent = new https.Agent({ keepAlive: true, maxSockets: 8, ...ca });
  return (exchange: ExchangeRequest) =>
    send((given, onResponse) => https.request({ ...given, agent }, onResponse), exchange);
}

/** Host and port of an authority as a URL writes it, without the brackets of an IPv6 address. */
function hostAndPort(authority: string): { host: string; port: string | undefined } {
  const match = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(authority);
  return { host: match?.[1] ?? match?.[2] ?? authority, port: match?.[3] };
}

type Start = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => ReturnType<typeof request>;

function send(start: Start, exchange: ExchangeRequest): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const { host, port } = hostAndPort(exchange.host);
    const path = exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`;
    const headers: Record<string, string | number> = { ...exchange.headers };
    if (exchange.body.length > 0) headers['content-length'] = exchange.body.length;
    const outgoing = start({ method: exchange.method, host, port, path, headers }, (response) => {
      resolve({ status: response.statusCode ?? 0, headers: flat(response.headers), body: response });
    });
    const abort = () => outgoing.destroy(exchange.signal.reason as Error);
    if (exchange.signal.aborted) abort();
    exchange.signal.addEventListener('abort', abort, { once: true });
    outgoing.once('error', reject);
    outgoing.once('close', () => exchange.signal.removeEventListener('abort', abort));
    outgoing.end(exchange.body.length > 0 ? exchange.body : undefined);
  });
}

function flat(headers: IncomingMessage['headers']): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { ExchangeRequest, ExchangeResponse, HttpExchange } from './exchange.ts';
import { hostAndPort } from './host-and-port.ts';

export interface SocketOptions {
  /** Certificates (PEM) that are trusted beside the system's own. */
  readonly ca?: string | undefined;
}

/** Exchanges over real sockets with `node:http(s)`: unlike `fetch` it sends a GET with a body. Connections are kept. */
export function socketExchange(options: SocketOptions = {}): HttpExchange {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let secure: Promise<(exchange: ExchangeRequest) => Promise<ExchangeResponse>> | undefined;
  return async (exchange) => {
    if (exchange.protocol === 'http')
      return await send((given, onAnswer) => request({ ...given, agent }, onAnswer), exchange);
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
    send((given, onAnswer) => https.request({ ...given, agent }, onAnswer), exchange);
}

type Start = (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void) => ReturnType<typeof request>;

function send(start: Start, exchange: ExchangeRequest): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const { host, port } = hostAndPort(exchange.host);
    const path = exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`;
    const headers: Record<string, string | number> = { ...exchange.headers };
    if (exchange.body.length > 0) headers['content-length'] = exchange.body.length;
    const outgoing = start({ method: exchange.method, host, port, path, headers }, (answer) => {
      resolve({ status: answer.statusCode ?? 0, headers: flat(answer.headers), body: answer });
    });
    const abort = () => outgoing.destroy(exchange.signal.reason as Error);
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

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpHandler, HttpRequest } from './http.ts';

export interface ServeOptions {
  /** @default a free port */
  readonly port?: number;
  /** @default 127.0.0.1; anything outside loopback needs `allowNonLoopback` */
  readonly host?: string;
  readonly allowNonLoopback?: boolean;
  /** Larger request bodies get 413 and are not read. @default 64 MiB */
  readonly maxBodyBytes?: number;
}

export interface Served {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves a handler on loopback. A request that cannot be read never reaches it. */
export async function serve(handler: HttpHandler, options: ServeOptions = {}): Promise<Served> {
  const host = options.host ?? '127.0.0.1';
  if (!isLoopback(host) && options.allowNonLoopback !== true)
    throw new Error(`refusing to listen on ${host}: only loopback is allowed unless allowNonLoopback is set`);
  const server = createServer((request, response) => void answer(handler, request, response, options.maxBodyBytes));
  server.keepAliveTimeout = 60_000;
  await listen(server, options.port ?? 0, host);
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}`, port, close: () => close(server) };
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.');

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const defaultMaxBodyBytes = 64 * 1024 * 1024;

/** Serves one request with `handler`: for servers that are not `serve`'s. */
export async function answer(
  handler: HttpHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  limit: number = defaultMaxBodyBytes,
): Promise<void> {
  try {
    const body = await readBody(incoming, limit);
    if (body === undefined) return void outgoing.writeHead(413, { connection: 'close' }).end();
    const response = await handler(toRequest(incoming, body));
    if (outgoing.destroyed) return;
    outgoing.writeHead(response.status, response.headers);
    outgoing.end(incoming.method === 'HEAD' ? undefined : response.body);
  } catch (error) {
    if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'text/plain' });
    outgoing.end(error instanceof Error ? error.message : String(error));
  }
}

async function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toRequest(incoming: IncomingMessage, body: Uint8Array): HttpRequest {
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return {
    method: incoming.method ?? 'GET',
    host: headers.host ?? '',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers,
    body,
  };
}

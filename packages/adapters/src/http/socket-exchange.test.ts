import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ExchangeRequest, type ExchangeResponse, noBody } from './exchange.ts';
import { socketExchange } from './socket-exchange.ts';

const servers: { close(): unknown; closeAllConnections?(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener) => listening(createServer(listener));

const request = (port: number, over: Partial<ExchangeRequest> = {}): ExchangeRequest => ({
  method: 'GET',
  protocol: 'http',
  host: `127.0.0.1:${port}`,
  path: '/',
  query: '',
  headers: { host: 'es' },
  body: noBody,
  signal: new AbortController().signal,
  ...over,
});

async function ask(given: ExchangeRequest) {
  const { status, headers, body } = await socketExchange()(given);
  return { status, headers, body: await textOf(body) };
}

async function textOf(body: ExchangeResponse['body']): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body as AsyncIterable<Uint8Array>) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('an HTTP exchange over a socket', () => {
  it('sends method, target, headers and body, also with GET', async () => {
    const port = await serve((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk) => {
        body += String(chunk);
      });
      incoming.on('end', () =>
        response.end(JSON.stringify([incoming.method, incoming.url, incoming.headers['x-a'], body])),
      );
    });
    const given = { path: '/a', query: 'b=c', headers: { host: 'es', 'x-a': '1' }, body: Buffer.from('hi') };

    expect(JSON.parse((await ask(request(port, given))).body)).toEqual(['GET', '/a?b=c', '1', 'hi']);
    expect(JSON.parse((await ask(request(port, { method: 'PUT' }))).body)).toEqual(['PUT', '/', null, '']);
  });

  it('returns status, headers with lower-case names, and the body as it was written', async () => {
    const port = await serve((_incoming, response) => {
      response.writeHead(503, { 'X-Note': 'busy', 'Set-Cookie': ['a=1', 'b=2'] });
      response.write('in ');
      response.end('chunks');
    });

    const { status, headers, body } = await ask(request(port));

    expect([status, headers['x-note'], headers['set-cookie'], body]).toEqual([503, 'busy', 'a=1, b=2', 'in chunks']);
  });

  it.each([
    ['a space in the path', { path: '/a b' }, 'ERR_UNESCAPED_CHARACTERS'],
    ['a line end in the query', { query: 'a\r\nx: y' }, 'ERR_UNESCAPED_CHARACTERS'],
    ['a line end in a header', { headers: { a: 'b\r\nx: y' } }, 'ERR_INVALID_CHAR'],
  ])('sends nothing with %s', async (_title, over, code) => {
    await expect(socketExchange()(request(1, over))).rejects.toMatchObject({ code });
  });

  it.each([
    ['refuses the connection', undefined, 'ECONNREFUSED'],
    ['closes without a response', '', 'ECONNRESET'],
    ['closes within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello', 'ECONNRESET'],
    ['speaks another protocol', 'SSH-2.0\r\n', expect.stringMatching(/^HPE_/)],
    ['sends a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n?\r\n', 'ECONNRESET'],
  ])('fails when the server %s', async (_title, text, code) => {
    const server = createRawServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(text ?? '')));
    const port = await listening(server);
    if (text === undefined) await new Promise((resolve) => server.close(resolve));

    await expect(ask(request(port))).rejects.toMatchObject({ code });
  });

  it('ends when the caller aborts: before it begins, before the response, and within it', async () => {
    const port = await serve((incoming, response) => {
      if (incoming.url === '/begun') response.write('begun');
    });

    const beforeTheResponse = new AbortController();
    setTimeout(() => beforeTheResponse.abort(new Error('enough')), 50);
    const silent = ask(request(port, { path: '/silent', signal: beforeTheResponse.signal }));
    await expect(silent).rejects.toThrow('enough');

    const withinTheBody = new AbortController();
    const { body } = await socketExchange()(request(port, { path: '/begun', signal: withinTheBody.signal }));
    withinTheBody.abort(new Error('enough'));
    // Node reports its own error here; the client of Elasticsearch looks at the signal.
    await expect(textOf(body)).rejects.toThrow('aborted');

    await expect(ask(request(port, { signal: AbortSignal.abort(new Error('never')) }))).rejects.toThrow('never');
  });
});

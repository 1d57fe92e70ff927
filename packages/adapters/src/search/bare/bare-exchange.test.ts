import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type ExchangeRequest, isPushed, noBody, type TakeChunk } from '../exchange.ts';
import { bareExchange } from './bare-exchange.ts';

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Pick<Server, 'listen' | 'address' | 'close'>): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

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

/** The chunks are copied: their memory is used again. */
async function ask(given: ExchangeRequest, pause?: () => Promise<void>) {
  const { status, headers, body } = await bareExchange(given);
  const parts: Buffer[] = [];
  const take: TakeChunk = (chunk) => {
    const keep = () => void parts.push(Buffer.from(chunk));
    return pause === undefined ? keep() : pause().then(keep);
  };
  if (typeof body === 'string' || !isPushed(body)) throw new Error('not pushed');
  await body.pushTo(take);
  return { status, headers, body: Buffer.concat(parts) };
}

describe('an exchange on a bare socket', () => {
  it('reads whatever the server of node:http writes, as it was written', async () => {
    interface Wanted {
      readonly status: number;
      readonly measured: boolean;
      readonly parts: readonly Uint8Array[];
      readonly note: string;
    }
    let wanted: Wanted | undefined;
    const port = await listening(
      createServer((_request, response) => {
        const { status, measured, parts, note } = wanted!;
        const length = parts.reduce((sum, part) => sum + part.length, 0);
        response.writeHead(status, { 'x-note': note, ...(measured ? { 'content-length': length } : {}) });
        for (const part of parts) response.write(part);
        response.end();
      }),
    );
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.integer({ min: 1, max: 400_000 }).map((size) => Buffer.alloc(size, String(size))),
    );
    const answers = fc.record({
      status: fc.constantFrom(200, 201, 400, 404, 503),
      measured: fc.boolean(),
      parts: fc.array(part, { maxLength: 6 }),
      note: fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/),
    });

    await fc.assert(
      fc.asyncProperty(answers, fc.boolean(), async (answer, slowly) => {
        wanted = answer;
        const got = await ask(
          request(port),
          slowly ? () => new Promise((resolve) => setImmediate(resolve)) : undefined,
        );
        expect([got.status, got.headers['x-note']]).toEqual([answer.status, answer.note]);
        expect(got.body.equals(Buffer.concat(answer.parts))).toBe(true);
      }),
      { numRuns: 60, seed: 8 },
    );
  });

  it('sends the method, the target, the headers and the body', async () => {
    const port = await listening(
      createServer((incoming, response) => {
        let body = '';
        incoming.on('data', (chunk) => {
          body += String(chunk);
        });
        incoming.on('end', () =>
          response.end(JSON.stringify([incoming.method, incoming.url, incoming.headers['x-a'], body])),
        );
      }),
    );

    const { body } = await ask(
      request(port, {
        method: 'PUT',
        path: '/a',
        query: 'b=c',
        headers: { host: 'es', 'x-a': 'é' },
        body: Buffer.from('hi'),
      }),
    );

    expect(JSON.parse(body.toString())).toEqual(['PUT', '/a?b=c', 'é', 'hi']);
  });

  it('finds a server that listens on one address of a name only', async () => {
    const port = await listening(createServer((_request, response) => void response.end('here')));

    const { body } = await ask(request(port, { host: `localhost:${port}` }));

    expect(body.toString()).toBe('here');
  });

  it.each([
    ['a space in the path', { path: '/a b' }, 'ERR_UNESCAPED_CHARACTERS'],
    ['a line end in the query', { query: 'a\r\nx: y' }, 'ERR_UNESCAPED_CHARACTERS'],
    ['a line end in a header', { headers: { a: 'b\r\nx: y' } }, 'ERR_INVALID_CHAR'],
  ])('sends nothing with %s', async (_title, over, code) => {
    await expect(bareExchange(request(1, over))).rejects.toMatchObject({ code });
  });

  it.each([
    ['refuses', undefined, 'ECONNREFUSED'],
    ['closes without a word', '', 'ECONNRESET'],
    ['closes within the head', 'HTTP/1.1 200 O', 'ECONNRESET'],
    ['closes within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello', 'ECONNRESET'],
    ['speaks something else', 'SSH-2.0\r\n', 'HPE_MALFORMED'],
    ['sends a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n?\r\n', 'HPE_MALFORMED'],
  ])('fails when the server %s', async (_title, text, code) => {
    const server = createRawServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(text ?? '')));
    const port = await listening(server as never);
    if (text === undefined) await new Promise((resolve) => server.close(resolve));

    await expect(ask(request(port))).rejects.toMatchObject({ code });
  });

  it('ends when the caller waits no longer, before the answer and within it', async () => {
    const port = await listening(
      createServer((incoming, response) => {
        if (incoming.url === '/begun') response.write('begun');
      }),
    );
    for (const path of ['/silent', '/begun']) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error('enough')), 50);
      await expect(ask(request(port, { path, signal: abort.signal }))).rejects.toThrow('enough');
    }
    await expect(bareExchange(request(port, { signal: AbortSignal.abort(new Error('never')) }))).rejects.toThrow(
      'never',
    );
  });

  it('ends when a chunk cannot be taken', async () => {
    const port = await listening(createServer((_request, response) => void response.end('hello')));

    await expect(ask(request(port), () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  });
});

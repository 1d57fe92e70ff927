import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { nodeFetch } from './node-fetch.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];

async function serving(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const sayings =
  (text: string): Answer =>
  (_, response) =>
    response.end(text);

/** Returns the credentials it was called with. */
const echo: Answer = (request, response) =>
  response.end(JSON.stringify({ method: request.method, authorization: request.headers.authorization ?? null }));

const authorised = { headers: { authorization: 'token t', accept: 'application/json' } };

describe('the fetch of the functions', () => {
  it('asks and reads as the built-in one does', async () => {
    const url = await serving((request, response) => {
      response.writeHead(201, { 'x-two': ['a', 'b'], etag: '"1"' });
      response.end(`${request.method} ${request.url} ${request.headers['content-length']}`);
    });
    const options = { method: 'POST', body: 'ü' };
    const [ours, theirs] = [await nodeFetch(`${url}/x?y=1`, options), await fetch(`${url}/x?y=1`, options)];

    expect(await ours.text()).toBe(await theirs.text());
    expect([ours.status, ours.ok, ours.url]).toEqual([theirs.status, theirs.ok, theirs.url]);
    for (const name of ['x-two', 'etag']) expect(ours.headers.get(name)).toBe(theirs.headers.get(name));
  });

  it('unpacks what is packed', async () => {
    const url = await serving((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('plain words'));
    });

    expect(await (await nodeFetch(url)).text()).toBe('plain words');
  });

  it('opens at most 50 connections to a host for any number of requests', async () => {
    const connections = new Set<Socket>();
    const url = await serving((request, response) => {
      connections.add(request.socket);
      setImmediate(() => response.end('ok'));
    });
    const requests = Array.from({ length: 200 }, async () => await (await nodeFetch(url)).text());

    expect(new Set(await Promise.all(requests))).toEqual(new Set(['ok']));
    expect(connections.size).toBe(50);
  });

  it('fails on what is packed and cut off', async () => {
    const packed = gzipSync('plain words'.repeat(1000));
    const url = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, 30));
    });

    await expect((await nodeFetch(url)).text()).rejects.toThrow(/unexpected end of file/);
  });

  it('follows a redirect, and shows its credentials to no other host', async () => {
    const elsewhere = await serving(echo);
    const url = await serving((request, response) => {
      if (request.url === '/here') echo(request, response);
      else response.writeHead(302, { location: request.url === '/near' ? '/here' : `${elsewhere}/there` }).end();
    });

    expect(JSON.parse(await (await nodeFetch(`${url}/near`, authorised)).text()).authorization).toBe('token t');
    expect(JSON.parse(await (await nodeFetch(`${url}/far`, authorised)).text()).authorization).toBeNull();
  });

  it.each([
    [307, 'POST', 'POST'],
    [308, 'DELETE', 'DELETE'],
    [302, 'POST', undefined],
    [301, 'DELETE', undefined],
  ])('after %s a %s is sent again only where the same request is asked for', async (status, method, again) => {
    const url = await serving((request, response) => {
      if (request.url === '/new') echo(request, response);
      else response.writeHead(status, { location: '/new' }).end();
    });
    const answer = await nodeFetch(`${url}/old`, { method });

    if (again === undefined) expect(answer.status).toBe(status);
    else expect(JSON.parse(await answer.text()).method).toBe(again);
  });

  it('gives up on redirects without an end', async () => {
    const url = await serving((_, response) => response.writeHead(302, { location: '/again' }).end());

    await expect(nodeFetch(url)).rejects.toThrow(/redirects more than 5 times/);
  });

  it('nodeFetch is aborted before and after the response begins', async () => {
    const silent = await serving(() => {});
    const halting = await serving((_, response) => response.write('half'));
    const abort = new AbortController();
    const early = nodeFetch(silent, { signal: abort.signal });
    const body = (await nodeFetch(halting, { signal: abort.signal })).text();
    abort.abort(new Error('no response within 10 s'));

    await expect(early).rejects.toThrow(/no response within 10 s/);
    await expect(body).rejects.toThrow();
    await expect(nodeFetch(silent, { signal: abort.signal })).rejects.toThrow(/no response within 10 s/);
  });

  it('nodeFetch never takes half of a response for the whole', async () => {
    const url = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => response.destroy());
    });

    await expect((await nodeFetch(url)).text()).rejects.toThrow(/aborted/);
  });

  it('tries again when a kept connection turns out to be closed', async () => {
    const sockets = new Set<Socket>();
    let asked = 0;
    const url = await serving((request, response) => {
      asked += 1;
      // The second question meets a server that has just hung up.
      if (sockets.has(request.socket)) request.socket.resetAndDestroy();
      else sayings('hello')(request, response);
      sockets.add(request.socket);
    });

    expect(await (await nodeFetch(url)).text()).toBe('hello');
    expect(await (await nodeFetch(url)).text()).toBe('hello');
    expect(asked).toBe(3);
  });

  it('says what could not be reached', async () => {
    await expect(nodeFetch('http://127.0.0.1:1/')).rejects.toThrow(/ECONNREFUSED/);
  });
});

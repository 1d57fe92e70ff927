import { VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { SearchClient } from './client/client.ts';
import { loginWith } from './client/login.ts';
import { topologyReader } from './cluster.ts';

it('asks again for the id of the local node when it could not be read, and keeps it once it is known', async () => {
  let calls = 0;
  const client = new SearchClient({
    exchange: async () => {
      calls += 1;
      if (calls === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return { status: 200, headers: {}, body: '{"nodes":{"abc":{"name":"data-1"}}}' };
    },
    clock: new VirtualClock(),
    address: { protocol: 'http', host: '127.0.1.1', port: 9200 },
    login: loginWith([], { anonymousFirst: true }),
    timeoutMs: 10_000,
  });
  const reader = topologyReader(client);

  await expect(reader.localNodeId()).rejects.toThrow('connection refused');
  expect(await reader.localNodeId()).toBe('abc');
  expect(await reader.localNodeId()).toBe('abc');
  expect(calls).toBe(2);
});

it.each([
  ['GET', true, 2],
  ['GET', false, 1],
  ['PUT', true, 1],
])('a %s without a response, with asksAnotherNode %s, is sent %i times', async (method, asksAnotherNode, times) => {
  let calls = 0;
  const clock = new VirtualClock();
  const client = new SearchClient({
    exchange: () => {
      calls += 1;
      return new Promise(() => {});
    },
    clock,
    address: { protocol: 'http', host: 'search.example.com', port: 80 },
    login: loginWith([], { anonymousFirst: true }),
    timeoutMs: 10_000,
    asksAnotherNode,
  });
  const ended = expect(client.json({ method, path: '/_cluster/health' })).rejects.toThrow('no response within 10 s');

  await clock.advance(60_000);

  await ended;
  expect(calls).toBe(times);
});

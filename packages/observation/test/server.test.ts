import { TerminalError } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { Observation, WhatIfRun } from '../src/api.ts';
import { consoleServer } from '../src/http/server.ts';

const state = { clock: { now: 1 } } as unknown as Observation;

const run: WhatIfRun = {
  id: 1,
  title: 'a week',
  state: 'done',
  percent: 100,
  notes: [],
  configurations: {},
  deployed: 'idle mode, idle target 2, max 8',
  maxWaitSeconds: 120,
};

function server() {
  const asked: [string, unknown][] = [];
  const app = consoleServer(
    {
      state: async () => state,
      nextState: () => new Promise(() => {}),
      lifeOf: () => [],
      control: async (name, input) => {
        asked.push([name, input]);
        if (name === 'kill-node')
          throw new TerminalError('there is no instance x (any more)', { remedy: 'look again' });
      },
      whatIf: {
        state: () => ({ refused: undefined, inputs: undefined, runs: [] }),
        run: (id) => (id === 1 ? run : undefined),
        picture: (id) => (id === 1 ? '<svg/>' : undefined),
        start: (request) => {
          asked.push(['what-if', request]);
          throw new TerminalError('another question is running', { remedy: 'wait for it' });
        },
        cancel: (id) => void asked.push(['cancel', id]),
      },
      returnTo: (course) => void asked.push(['return', course]),
    },
    {},
  );
  const post = (path: string, headers: Record<string, string>, body = '{"count":1,"minutes":2}') =>
    app.request(`http://127.0.0.1:8600${path}`, {
      method: 'POST',
      headers: { host: '127.0.0.1:8600', ...headers },
      body,
    });
  return { app, asked, post };
}

const json = { 'content-type': 'application/json' };

describe('the local server', () => {
  it('the local server accepts loopback names only: a name rebound to loopback is refused', async () => {
    const { app } = server();
    const get = (host: string) => app.request('http://127.0.0.1:8600/api/state', { headers: { host } });
    for (const host of ['127.0.0.1:8600', 'localhost:8600', '[::1]:8600'])
      expect((await get(host)).status, host).toBe(200);
    for (const host of ['evil.example', 'evil.example:8600', '127.0.0.1.evil.example', '192.168.0.1:8600', ''])
      expect((await get(host)).status, host).toBe(403);
  });

  it('results of what-if and their pictures have addresses, and a refused question says why', async () => {
    const { app, post, asked } = server();
    const get = (path: string) => app.request(`http://127.0.0.1:8600${path}`, { headers: { host: '127.0.0.1:8600' } });
    expect(await (await get('/api/what-if/1')).json()).toMatchObject({ title: 'a week' });
    expect((await get('/api/what-if/2')).status).toBe(404);
    const picture = await get('/api/what-if/1/picture.svg');
    expect([picture.headers.get('content-type'), await picture.text()]).toEqual(['image/svg+xml', '<svg/>']);
    const refused = await post('/api/what-if', json, '{"modes":[]}');
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { message: 'another question is running; wait for it' },
    ]);
    expect((await post('/api/what-if/1/cancel', json)).status).toBe(204);
    expect((await post('/api/courses/0', json)).status).toBe(204);
    expect((await post('/api/courses/0', { ...json, origin: 'http://evil.example' })).status).toBe(403);
    expect(asked).toEqual([
      ['what-if', { modes: [] }],
      ['cancel', 1],
      ['return', 0],
    ]);
  });

  it('the local server accepts control requests from its own page only', async () => {
    const { post, asked } = server();
    const path = '/api/controls/queue-jobs';
    expect((await post(path, { ...json, origin: 'http://evil.example' })).status).toBe(403);
    expect((await post(path, { ...json, origin: 'http://127.0.0.1:9999' })).status).toBe(403);
    expect((await post(path, { ...json, origin: 'null' })).status).toBe(403);
    // A form of another page can send text without asking first.
    expect((await post(path, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(asked).toEqual([]);
    expect((await post(path, { ...json, origin: 'http://127.0.0.1:8600' })).status).toBe(204);
    expect((await post(path, json)).status).toBe(204);
    expect(asked).toEqual([
      ['queue-jobs', { count: 1, minutes: 2 }],
      ['queue-jobs', { count: 1, minutes: 2 }],
    ]);
  });

  it('a wrong or unknown control is refused with a message', async () => {
    const { post } = server();
    const refused = await post('/api/controls/kill-node', json, '{"instance":"x"}');
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({ message: 'there is no instance x (any more); look again' });
    expect((await post('/api/controls/constructor', json)).status).toBe(404);
    expect((await post('/api/controls/queue-jobs', json, 'not json')).status).toBe(409);
  });

  it('the page loads nothing from other hosts and cannot be framed', async () => {
    const { app } = server();
    const { headers } = await app.request('http://localhost/api/state', { headers: { host: 'localhost' } });
    expect(headers.get('content-security-policy')).toContain("default-src 'self'; font-src data:;");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

import { createEngine } from '@drover/cloud-engine';
import { RealClock } from '@drover/core';
import { afterEach, expect, it } from 'vitest';
import { CodeHost } from './code-host.ts';
import { type ServedCodeHost, serveCodeHost } from './serve-code-host.ts';

let served: ServedCodeHost | undefined;
afterEach(() => served?.close());

it.each(['https://api.github.com', 'https://ghe.example.com/api/v3'])(
  'serves %s over HTTP on loopback',
  async (apiUrl) => {
    const host = new CodeHost(createEngine({ clock: new RealClock() }), { org: 'o', apiUrl });
    host.credentials.addToken('ghp_t', { account: 'user ID 1', org: 'o', mayManageRunners: true });
    const { token } = host.registry.mintToken('registration');
    for (const name of ['a', 'b']) host.registry.register({ token, name, labels: [] });
    served = await serveCodeHost(host);

    const headers = { authorization: 'token ghp_t' };
    const response = await fetch(`${served.apiUrl}/orgs/o/actions/runners?per_page=1`, { headers });
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    const second = await fetch(next!, { headers });
    const removed = await fetch(`${served.apiUrl}/orgs/o/actions/runners/1`, { method: 'DELETE', headers });

    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await response.json()).toMatchObject({ total_count: 2, runners: [{ name: 'a' }] });
    expect(await second.json()).toMatchObject({ total_count: 2, runners: [{ name: 'b' }] });
    expect([removed.status, await removed.text()]).toEqual([204, '']);
  },
);

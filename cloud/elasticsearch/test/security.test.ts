import { describe, expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

const basic = (user: string, password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
});
const elastic = basic('elastic', 'changeme');
const monitor = { anonymous_monitor: { cluster: ['monitor'], indices: [{ names: ['*'], privileges: ['monitor'] }] } };

const secured = (anonymous?: { roles: string[]; authzException?: boolean }) =>
  TestCluster.formed(1, {
    security: { bootstrapPassword: 'changeme', roles: monitor, ...(anonymous === undefined ? {} : { anonymous }) },
  });

it('[rule 27] a request without credentials gets 401 where anonymous access is off', async () => {
  const test = await secured();
  const { status, body, headers } = await test.get('/_cluster/health');
  expect(status).toBe(401);
  expect(body.error.type).toBe('security_exception');
  expect(body.error.reason).toBe('missing authentication credentials for REST request [/_cluster/health]');
  expect(headers['WWW-Authenticate']).toContain('Basic realm="security"');
});

it('[rule 27] a request that the anonymous user may not make gets 403, not 401, so that no client asks for a password', async () => {
  const test = await secured({ roles: ['anonymous_monitor'] });
  expect((await test.get('/_cluster/health')).status).toBe(200);
  const refused = await test.put('/books');
  expect(refused.status).toBe(403);
  expect(refused.headers['WWW-Authenticate']).toBeUndefined();
});

it('[rule 27] a request that the anonymous user may not make gets 401 with authz_exception off', async () => {
  const test = await secured({ roles: ['anonymous_monitor'], authzException: false });
  expect((await test.get('/_cluster/health')).status).toBe(200);
  const refused = await test.put('/books');
  expect(refused.status).toBe(401);
  expect(refused.body.error.reason).toMatch(/^action \[indices:admin\/create\] requires authentication/);
});

it('[rule 27] a wrong password gets 401, even where a request without credentials is served', async () => {
  const test = await secured({ roles: ['anonymous_monitor'] });
  expect((await test.get('/_cluster/health', basic('elastic', 'wrong'))).status).toBe(401);
});

describe('the user elastic', () => {
  it('user elastic is authenticated by basic authentication with the password of the secrets store, and by no other', async () => {
    const test = await secured();
    expect((await test.get('/_security/_authenticate', elastic)).body.username).toBe('elastic');
    expect((await test.get('/_security/_authenticate', basic('elastic', 'another'))).status).toBe(401);
    await test.ask('PUT', '/_security/user/elastic/_password', { ...elastic, body: { password: 'from-the-store' } });
    expect((await test.get('/_cluster/health', elastic)).status).toBe(401);
    expect((await test.get('/_cluster/health', basic('elastic', 'from-the-store'))).status).toBe(200);
  });
});

describe('a node of its own keystore', () => {
  it('a node takes the password of its own keystore until the password of elastic is stored', async () => {
    const test = await secured();
    const other = test.cluster.addNode({ name: 'later', bootstrapPassword: 'another' });
    await test.clock.advance(60_000);
    const status = async (password: string) => {
      const { headers } = basic('elastic', password);
      const request = { method: 'GET', host: 'x', path: '/', query: '', headers, body: new Uint8Array() };
      return (await other.handle(request)).status;
    };
    expect([await status('changeme'), await status('another')]).toEqual([401, 200]);

    await test.ask('PUT', '/_security/user/elastic/_password', { ...elastic, body: { password: 'changeme' } });
    expect([await status('changeme'), await status('another')]).toEqual([200, 401]);
  });

  it('a node returns 401 to the right password while it cannot read the security index after its start', async () => {
    const test = await secured({ roles: ['anonymous_monitor'] });
    const other = test.cluster.addNode({ name: 'later', securityStartMs: 30_000 });
    const ask = async (headers: Record<string, string>) =>
      (await other.handle({ method: 'GET', host: 'x', path: '/', query: '', headers, body: new Uint8Array() })).status;
    await test.clock.advance(20_000);
    expect([await ask(elastic.headers), await ask({})]).toEqual([401, 200]);
    await test.clock.advance(20_000);
    expect(await ask(elastic.headers)).toBe(200);
  });
});

describe('the role anonymous_monitor', () => {
  it('role anonymous_monitor reads what monitoring needs without credentials, and changes nothing', async () => {
    const test = await secured({ roles: ['anonymous_monitor'] });
    await test.ask('PUT', '/books', { ...elastic, body: {} });
    for (const path of ['/_cluster/health', '/_nodes/stats', '/_cat/shards', '/_all/_stats', '/_cluster/settings'])
      expect([path, (await test.get(path)).status]).toEqual([path, 200]);
    for (const [method, path] of [
      ['GET', '/books/_search'],
      ['PUT', '/books/_doc/1'],
      ['DELETE', '/books'],
      ['PUT', '/_cluster/settings'],
      ['GET', '/_security/user'],
    ] as const) {
      const body = method === 'PUT' ? { persistent: { 'cluster.routing.allocation.enable': 'none' } } : undefined;
      expect([path, (await test.ask(method, path, { body })).status]).toEqual([path, 403]);
    }
  });
});

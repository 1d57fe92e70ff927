import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';
import type { Answer, Credentials } from './transport.ts';

const needs = ['security', 'native users'] as const;
/** Of readings 20 ms apart while nodes start. */
const mostRounds = 12_000;

/** A user that is deleted after the case. */
async function user(target: ContractTarget, username: string, roles: readonly string[]): Promise<Credentials> {
  const password = `${username}-password`;
  target.cleanup(() => target.delete(`/_security/user/${username}`));
  await target.must('PUT', `/_security/user/${username}`, { body: { password, roles } });
  return { username, password };
}

async function role(target: ContractTarget, name: string, body: unknown): Promise<void> {
  target.cleanup(() => target.delete(`/_security/role/${name}`));
  await target.must('PUT', `/_security/role/${name}`, { body });
}

contract(
  'a request without valid credentials gets 401 before anything else is checked',
  async (target) => {
    const nobody = { as: 'nobody' } as const;
    const wrong = { as: { username: 'elastic', password: 'wrong-password' } };
    const header = (authorization: string) => ({ ...nobody, headers: { authorization } });

    await target.see('nobody', 'GET', '/_cluster/health', nobody);
    await target.see('nobody at an unknown place', 'GET', '/_nope/x/y', nobody);
    await target.see('nobody with the wrong method', 'POST', '/_cluster/health', nobody);
    await target.see('wrong password', 'GET', '/_cluster/health?pretty', wrong);
    await target.see('unknown user', 'GET', '/_cluster/health', { as: { username: 'ghost', password: 'x' } });
    await target.see('unknown scheme', 'GET', '/_cluster/health', header('Nope abc'));
    await target.see('not base64', 'GET', '/_cluster/health', header('Basic %%%'));
    await target.see('no colon', 'GET', '/_cluster/health', header('Basic YWJj'));
    await target.see('empty', 'GET', '/_cluster/health', header('Basic '));
    await target.see('API key that is none', 'GET', '/_cluster/health', header('ApiKey YWJjOmRlZg=='));
    await target.see('token', 'GET', '/_cluster/health', header('Bearer abc'));
    await target.see('as YAML', 'GET', '/_cluster/health?format=yaml', nobody, { as: 'text' });
    expect((await target.ask('OPTIONS', '/_cluster/health', nobody)).status).toBe(200);
  },
  { needs: ['security'] },
);

contract(
  'authenticate API returns the user of the request',
  async (target) => {
    const rita = await user(target, 'contract-rita', ['monitoring_user']);

    await target.see('administrator', 'GET', '/_security/_authenticate');
    await target.see('native user', 'GET', '/_security/_authenticate', { as: rita });
  },
  { needs },
);

contract(
  'users are created, changed, read and deleted',
  async (target) => {
    const path = '/_security/user/contract-kept';
    target.cleanup(() => target.delete(path));
    const body = {
      password: 'long-enough',
      roles: ['viewer'],
      full_name: 'Kept',
      email: 'kept@example.org',
      metadata: { level: 7 },
    };

    await target.see('made', 'PUT', path, { body });
    await target.see('seen', 'GET', path);
    await target.see('changed', 'POST', path, { body: { roles: [], full_name: 'Other' } });
    await target.see('changed seen', 'GET', path);
    await target.see('deleted', 'DELETE', path);
    await target.see('deleted again', 'DELETE', path);
    await target.see('gone', 'GET', path);
  },
  { needs },
);

contract(
  'put user refuses invalid names, passwords and fields and reserved users',
  async (target) => {
    const put = (step: string, name: string, body: unknown) =>
      target.see(step, 'PUT', `/_security/user/${name}`, { body });

    await put('no password', 'contract-bad', { roles: [] });
    await put('short password', 'contract-bad', { password: 'short', roles: [] });
    await put('no roles', 'contract-bad', { password: 'long-enough' });
    await put('bad name', '%20bad', { password: 'long-enough', roles: [] });
    await put('reserved', 'elastic', { password: 'long-enough', roles: [] });
    await put('unknown field', 'contract-bad', { password: 'long-enough', roles: [], nope: 1 });
    await put('two names', 'contract-bad', { username: 'other', password: 'long-enough', roles: [] });
    await target.see('no body', 'PUT', '/_security/user/contract-bad');
    await target.see('delete reserved', 'DELETE', '/_security/user/elastic');
  },
  { needs },
);

contract(
  'roles are created, changed, read and deleted',
  async (target) => {
    const path = '/_security/role/contract-role';
    target.cleanup(() => target.delete(path));
    const body = {
      cluster: ['monitor'],
      indices: [{ names: ['books*'], privileges: ['read'] }],
      run_as: [],
      metadata: { a: 1 },
    };

    await target.see('made', 'PUT', path, { body });
    await target.see('again', 'PUT', path, { body });
    await target.see('seen', 'GET', path);
    await target.see('unknown privilege', 'PUT', path, { body: { cluster: ['nope'] } });
    await target.see('unknown index privilege', 'PUT', path, {
      body: { indices: [{ names: ['a'], privileges: ['nope'] }] },
    });
    await target.see('unknown field', 'PUT', path, { body: { nope: 1 } });
    await target.see('no names', 'PUT', path, { body: { indices: [{ privileges: ['read'] }] } });
    await target.see('reserved', 'PUT', '/_security/role/superuser', { body });
    await target.see('deleted', 'DELETE', path);
    await target.see('deleted again', 'DELETE', path);
    await target.see('gone', 'GET', path);
  },
  { needs },
);

contract(
  'a user may do what its roles grant and nothing else',
  async (target) => {
    await role(target, 'contract-reader', {
      cluster: ['monitor'],
      indices: [{ names: ['contract-open*'], privileges: ['read', 'view_index_metadata'] }],
    });
    const rita = { as: await user(target, 'contract-rita', ['contract-reader']) };
    await target.index('contract-open', { number_of_shards: 1, number_of_replicas: 0 });
    await target.index('contract-secret', { number_of_shards: 1, number_of_replicas: 0 });

    for (const path of [
      '/_cluster/health',
      '/_cat/nodes',
      '/contract-open/_search',
      '/contract-open/_count',
      '/contract-open/_settings',
      '/_nodes',
      '/_cluster/settings',
    ])
      expect((await target.get(path, rita)).status, path).toBe(200);
    await target.see('read', 'GET', '/contract-secret/_search', rita);
    await target.see('missing but not theirs', 'GET', '/contract-nowhere', rita);
    await target.see('missing and theirs', 'GET', '/contract-open-2/_search', rita);
    await target.see('write', 'PUT', '/contract-open/_doc/1', { ...rita, body: { a: 1 } });
    await target.see('delete', 'DELETE', '/contract-open', rita);
    await target.see('create', 'PUT', '/contract-new', rita);
    await target.see('settings', 'PUT', '/_cluster/settings', {
      ...rita,
      body: { persistent: { 'cluster.max_shards_per_node': 900 } },
    });
    await target.see('settings that say nothing', 'PUT', '/_cluster/settings', { ...rita, body: {} });
    await target.see('reroute', 'POST', '/_cluster/reroute?metric=none', rita);
    await target.see('repository', 'PUT', '/_snapshot/contract-none', {
      ...rita,
      body: { type: 'fs', settings: { location: 'x' } },
    });
    await target.see('users', 'GET', '/_security/user', rita);
    await target.see('roles', 'PUT', '/_security/role/x', { ...rita, body: {} });
    await target.see('voting', 'POST', '/_cluster/voting_config_exclusions?node_names=x', rita);
    await target.see('unknown place', 'GET', '/_nope/a/b', rita);
    await target.see('bulk', 'POST', '/_bulk', { ...rita, body: '{"index":{"_index":"contract-open"}}\n{"a":1}\n' });
  },
  { needs },
);

contract(
  'statistics of nodes need the action of allocation statistics too, when they tell about disks',
  async (target) => {
    await role(target, 'contract-stats', { cluster: ['cluster:monitor/nodes/stats'] });
    const rita = { as: await user(target, 'contract-rita', ['contract-stats']) };

    for (const metric of ['', '/fs', '/allocations', '/jvm', '/indices,os', '/_all'])
      await target.see(metric, 'GET', `/_nodes/stats${metric}?filter_path=_nodes,error,status`, rita);
    await target.see('another action', 'GET', '/_nodes/hot_threads', rita);
  },
  { needs },
);

contract(
  'a user without roles may do nothing',
  async (target) => {
    const nobody = { as: await user(target, 'contract-nobody', []) };

    await target.see('health', 'GET', '/_cluster/health', nobody);
    await target.see('nodes', 'GET', '/_nodes', nobody);
    await target.see('search', 'GET', '/contract-none/_search', nobody);
    await target.see('unknown role', 'GET', '/_cluster/health', {
      as: await user(target, 'contract-lost', ['no-such-role']),
    });
    expect((await target.get('/_security/_authenticate', nobody)).status).toBe(200);
  },
  { needs },
);

contract(
  'nodes that start again return 401 to the right password until they can read the security index',
  async (target) => {
    const as = await user(target, 'contract-early', ['superuser']);
    expect((await target.get('/_cluster/health', { as })).status).toBe(200);
    await target.transport.restart!();
    const seen: Answer[] = [];
    for (let round = 0; round < mostRounds && seen.at(-1)?.status !== 200; round++) {
      const answer = await target.get('/_cluster/health', { as }).catch(() => undefined);
      if (answer !== undefined && answer.status !== seen.at(-1)?.status) seen.push(answer);
      await target.transport.pass(20);
    }
    await target.rest();

    const early = seen.find(({ status }) => status === 401);
    expect([early?.status, seen.at(-1)?.status]).toEqual([401, 200]);
    // The order of the ways to log in changes from start to start.
    const { type, reason } = early!.body.error;
    target.compare('early', { status: early!.status, headers: {}, body: { type, reason } });
  },
  { needs: [...needs, 'nodes that the suite may restart'] },
);

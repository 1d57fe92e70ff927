import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

const needs = ['security', 'native users', 'nodes with roles and anonymous access of their own'] as const;

const index = 'contract-orders';

/** Paths that a caller without a password may try to read. */
const paths = [
  ...[
    'aliases',
    'allocation',
    'count',
    'health',
    'indices',
    'master',
    'nodeattrs',
    'nodes',
    'pending_tasks',
    'recovery',
    'repositories',
    'shards',
    'templates',
    'thread_pool',
  ].map((table) => `/_cat/${table}`),
  '/_cluster/allocation/explain',
  '/_cluster/health',
  `/_cluster/health/${index}`,
  '/_cluster/health?level=shards',
  '/_cluster/health?local=true',
  '/_cluster/pending_tasks',
  '/_cluster/settings',
  '/_cluster/state',
  '/_cluster/state/metadata',
  '/_cluster/state/nodes?local=true',
  '/_cluster/stats',
  '/_health_report',
  '/_index_template',
  '/_license',
  '/_nodes',
  '/_nodes/_local/settings',
  '/_nodes/hot_threads',
  '/_nodes/stats',
  '/_nodes/stats/fs',
  '/_nodes/stats/jvm,os,process',
  '/_recovery',
  '/_remote/info',
  '/_security/_authenticate',
  '/_security/user',
  '/_snapshot',
  '/_stats',
  '/_tasks',
  '/_tasks?detailed',
  `/${index}`,
  `/${index}/_count`,
  `/${index}/_doc/1`,
  `/${index}/_mapping`,
  `/${index}/_recovery`,
  `/${index}/_search`,
  `/${index}/_settings`,
  `/${index}/_stats`,
  '/contract-nowhere',
  '/contract-nowhere/_stats',
  '/.security/_stats',
] as const;

/** Status and words of a refusal; of what may be read the status alone. */
async function seeRefusal(target: ContractTarget, step: string, method: string, path: string, node: number) {
  const answer = await target.ask(method, path, { as: 'nobody', node });
  const { type, reason } = answer.body?.error ?? {};
  const refused = answer.status === 401 || answer.status === 403;
  target.compare(step, { status: answer.status, headers: {}, ...(refused ? { body: { type, reason } } : {}) });
}

/** Makes the node without anonymous access the master: it checks again what the others send it. */
async function electFirst(target: ContractTarget): Promise<void> {
  const [first, ...others] = target.nodes.map(({ name }) => name);
  target.cleanup(() => target.delete('/_cluster/voting_config_exclusions?wait_for_removal=false'));
  await target.must('POST', `/_cluster/voting_config_exclusions?node_names=${others.join(',')}`);
  await target.until('the first node as master', async () => {
    const [row] = (await target.get('/_cat/master?format=json')).body as { node: string }[];
    return row?.node === first;
  });
}

async function orders(target: ContractTarget): Promise<void> {
  await target.index(index, { number_of_shards: 1, number_of_replicas: 0 });
  await target.must('PUT', `/${index}/_doc/1?refresh=true`, { body: { card_number: 1 } });
}

for (const [node, status] of [
  [1, 401],
  [2, 403],
] as const)
  contract(
    `a role of named monitoring actions lets nobody read anything else, refused with ${status}`,
    async (target) => {
      await electFirst(target);
      await orders(target);
      for (const path of paths) await seeRefusal(target, path, 'GET', path, node);
      await seeRefusal(target, 'write', 'PUT', `/${index}/_settings`, node);
      await seeRefusal(target, 'delete', 'DELETE', `/${index}`, node);
      await seeRefusal(target, 'reroute', 'POST', '/_cluster/reroute', node);
    },
    { needs },
  );

contract(
  'a request without credentials gets 401 from a node without anonymous access, whatever it asks for',
  async (target) => {
    await orders(target);
    for (const path of paths) expect((await target.get(path, { as: 'nobody' })).status, path).toBe(401);
    const { body } = await target.get('/_cluster/health?local=true', { as: 'nobody' });
    expect(body.error.reason).toBe('missing authentication credentials for REST request [/_cluster/health?local=true]');
  },
  { needs },
);

contract(
  'a wrong password is refused also where nobody would be let in',
  async (target) => {
    const as = { username: 'elastic', password: 'wrong-password' };
    await target.see('health', 'GET', '/_cluster/health', { as, node: 1 });
  },
  { needs },
);

contract(
  'users have the roles of anonymous access beside their own',
  async (target) => {
    const as = { username: 'contract-plain', password: 'contract-plain' };
    target.cleanup(() => target.delete('/_security/user/contract-plain'));
    await target.must('PUT', '/_security/user/contract-plain', { body: { password: as.password, roles: [] } });
    await electFirst(target);

    await target.see('who, with it', 'GET', '/_security/_authenticate', { as, node: 1 });
    await target.see('who, without it', 'GET', '/_security/_authenticate', { as });
    expect((await target.get('/_cluster/health?local=true', { as, node: 1 })).status).toBe(200);
    await target.see('refused by a master without it', 'GET', '/_cluster/health', { as, node: 1 });
    await target.see('refused all the same', 'GET', '/_cluster/state', { as, node: 1 });
    await target.see('refused', 'GET', '/_cluster/health', { as });
  },
  { needs },
);

contract(
  'the master checks a request again by its own roles.yml',
  async (target) => {
    const as = { username: 'contract-local', password: 'contract-local' };
    target.cleanup(() => target.delete('/_security/user/contract-local'));
    await target.must('PUT', '/_security/user/contract-local', {
      body: { password: as.password, roles: ['only_here'] },
    });
    await electFirst(target);

    expect((await target.get('/_cluster/state/nodes?local=true', { as, node: 2 })).status).toBe(200);
    await target.see('at the master', 'GET', '/_cluster/state/nodes', { as, node: 2 });
    await target.see('health at the master', 'GET', '/_cluster/health', { as, node: 2 });
  },
  { needs },
);

import { MemoryStore } from '@drover/cloud-elasticsearch';
import { expect, it } from 'vitest';
import { CrashPlan, type CrashPoint, type CrashStory, crashEverywhere, oneCrashACall } from './support/crash.ts';
import { hour, SearchWorld } from './support/search-world.ts';

/** A cluster with everything that people have, and one good snapshot of it in the bucket. */
async function lostCluster(store: MemoryStore): Promise<void> {
  const old = await SearchWorld.start({
    masters: 1,
    data: 2,
    cron: false,
    seed: 'old',
    cluster: { openStore: () => store },
  });
  const [host] = old.inService('search-data') as [string];
  await old.search('PUT', '/_ilm/policy/month', {
    policy: { phases: { delete: { min_age: '30d', actions: { delete: {} } } } },
  });
  await old.search('PUT', '/_index_template/web', {
    index_patterns: ['web-*'],
    data_stream: {},
    template: { settings: { 'index.lifecycle.name': 'month' } },
  });
  await old.search('POST', '/web-app/_doc?refresh=true', { '@timestamp': '2026-01-05T00:00:00Z' });
  await old.search('POST', '/web-app/_rollover');
  await old.search('PUT', '/docs/_doc/1?refresh=true', { a: 1 });
  await old.search('PUT', '/.kibana_1/_doc/1?refresh=true', { title: 'dashboard' });
  await old.search('PUT', '/_security/role/reader', { cluster: ['monitor'] });
  await old.search('PUT', '/_security/user/ann', { password: 'ann-password', roles: ['reader'] });
  await old.run(host, 'cluster-cli snapshots policy');
  await old.search('PUT', '/_cluster/settings', { persistent: { 'cluster.routing.allocation.enable': 'none' } });
  await old.search('PUT', `/_nodes/${old.nodeOf(host).id}/shutdown`, { type: 'remove', reason: 'drain' });
  await old.search('POST', '/_security/user/elastic/_password', { password: 'password-of-the-lost-cluster' });
  // The secret of the lost stack is not that of the new one.
  const node = old.nodeOf(host);
  const authorization = `Basic ${Buffer.from('elastic:password-of-the-lost-cluster').toString('base64')}`;
  const request = {
    method: 'PUT',
    host: 'operator',
    path: '/_snapshot/backups/good',
    query: 'wait_for_completion=true',
    headers: { authorization },
    body: Buffer.from(''),
  };
  expect((await old.until(node.handle(request), hour)).status).toBe(200);
}

async function newCluster(store: MemoryStore, wrap?: CrashPlan['wrap']): Promise<SearchWorld> {
  const cluster = { openStore: () => store };
  return await SearchWorld.start({
    masters: 1,
    data: 2,
    cron: false,
    seed: 'new',
    cluster,
    ...(wrap === undefined ? {} : { wrap }),
  });
}

/** What must be there after a recovery, but is not. */
async function missingIn(world: SearchWorld): Promise<string[]> {
  const missing: string[] = [];
  const check = (what: string, holds: boolean) => void (holds ? undefined : missing.push(what));
  const ask = (path: string) => world.search<Record<string, unknown>>('GET', path);
  check('elastic with the password of the secret', 'cluster_name' in (await ask('/_cluster/health')));
  check('documents of the data stream', (await ask('/web-app/_count')).count === 1);
  check('a data stream that rolls over', (await world.search('POST', '/web-app/_rollover')).rolled_over === true);
  check('documents', (await ask('/docs/_count')).count === 1);
  check('the feature of Kibana', (await ask('/.kibana_1/_count')).count === 1);
  check('the user', 'ann' in (await ask('/_security/user/ann')));
  check('the role', 'reader' in (await ask('/_security/role/reader')));
  check('the lifecycle policy', 'month' in (await ask('/_ilm/policy')));
  check('the snapshot policies', Object.keys(await ask('/_slm/policy')).length === 4);
  check(
    'running lifecycles',
    (await ask('/_ilm/status')).operation_mode === 'RUNNING' &&
      (await ask('/_slm/status')).operation_mode === 'RUNNING',
  );
  check('no record of an old node', (await world.records()).length === 0);
  check('allocation as usual', !JSON.stringify(await ask('/_cluster/settings')).includes('none'));
  check(
    'no user of the file realm',
    [...world.nodes.values()].every(({ fileUsers }) => fileUsers.size === 0),
  );
  check('green', (await ask('/_cluster/health?wait_for_status=green&timeout=60s')).status === 'green');
  return missing;
}

it('recover-cluster brings back data streams that roll over, users, roles, ILM, templates, Kibana and SLM policies, without stale shutdown records', async () => {
  const store = new MemoryStore();
  await lostCluster(store);
  const world = await newCluster(store);
  const [host] = world.inService('search-data') as [string];
  // As every new cluster does before anybody recovers it.
  await world.run(host, 'cluster-cli snapshots policy');
  await world.run(host, 'cluster-cli snapshots create backups --wait');

  const dry = await world.run(host, 'cluster-cli --format json snapshots recover-cluster --dry-run');
  expect(JSON.parse(dry.stdout)).toMatchObject({
    snapshot: 'good',
    steps: expect.arrayContaining(['restore users, roles and keys']),
  });
  const ended = await world.run(host, 'cluster-cli snapshots recover-cluster --yes');

  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringContaining('password of elastic: changed')]);
  expect(ended.stdout).toMatch(/data streams +1 of 1 +yes/);
  expect(ended.stdout).toMatch(/stale shutdown records +0 +yes/);
  expect(await missingIn(world)).toEqual([]);
  const again = await world.run(host, 'cluster-cli --format json snapshots recover-cluster --resume');
  expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([0, { snapshot: 'good' }]);
});

it('recover-cluster refuses a cluster with data, and reads the bucket of another cluster only', async () => {
  const store = new MemoryStore();
  await lostCluster(store);
  const world = await newCluster(store);
  const [host] = world.inService('search-data') as [string];
  await world.search('PUT', '/mine', {});
  const full = await world.run(host, 'cluster-cli snapshots recover-cluster --yes');
  expect([full.exitCode, full.stderr]).toEqual([
    3,
    expect.stringContaining('refused (cluster-not-empty): the cluster holds mine'),
  ]);
  await world.search('DELETE', '/mine');

  const ended = await world.run(host, 'cluster-cli snapshots recover-cluster --bucket-name elsewhere --yes');

  expect(ended.exitCode).toBe(0);
  expect(await world.search('GET', '/_snapshot/recovery')).toMatchObject({
    recovery: { settings: { bucket: 'elsewhere', readonly: 'true' } },
  });
  expect(await missingIn(world)).toEqual([]);
});

it('recover-cluster may die at each of its acts: the next run with --resume brings everything back', {
  timeout: 600_000,
}, async () => {
  const store = new MemoryStore();
  await lostCluster(store);
  const story = async (at: CrashPoint | undefined): Promise<CrashStory> => {
    const plan = new CrashPlan(({ argv }) => argv.includes('recover-cluster'), at);
    const world = await newCluster(store, plan.wrap);
    const [host] = world.inService('search-data') as [string];
    await world.search('PUT', '/_snapshot/backups', { type: 's3', settings: { bucket: 'search-snapshots' } });
    void world.begin(host, 'cluster-cli snapshots recover-cluster --yes');
    await world.clock.advance(hour / 4);
    const calls = plan.calls.length;
    const resumed = await world.run(host, 'cluster-cli snapshots recover-cluster --resume');
    // A run that died before it had begun has left nothing to resume.
    if (resumed.exitCode === 3) await world.run(host, 'cluster-cli snapshots recover-cluster --yes');
    plan.calls.length = calls;
    return { plan, violations: await missingIn(world) };
  };
  // Readings come again each round and leave nothing behind: a death at each act is enough.
  const { calls, failures } = await crashEverywhere('recover-cluster', story, (all) =>
    oneCrashACall(all).filter(({ name }) => /\((P|DELETE)/.test(name)),
  );

  expect(failures).toEqual([]);
  expect(calls.length).toBeGreaterThan(30);
});

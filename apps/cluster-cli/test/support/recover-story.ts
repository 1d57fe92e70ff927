import { MemoryStore } from '@drover/cloud-elasticsearch';
import { CrashPlan, type CrashPoint, type CrashStory } from './crash.ts';
import { hour, SearchWorld } from './search-world.ts';

/** A cluster with everything that people have, and one good snapshot of it in the bucket. */
export async function lostCluster(store: MemoryStore): Promise<void> {
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
  await old.search('PUT', '/_slm/policy/own', {
    schedule: '0 30 1 * * ?',
    name: '<own-{now/d}>',
    repository: 'backups',
  });
  await old.search('PUT', '/_cluster/settings', { persistent: { 'cluster.routing.allocation.enable': 'none' } });
  await old.search('PUT', `/_nodes/${old.nodeOf(host).id}/shutdown`, { type: 'remove', reason: 'drain' });
  await old.search('POST', '/_security/user/elastic/_password', { password: 'password-of-the-lost-cluster' });
  // The secret of the lost stack is not that of the new one.
  const taken = await askAs(
    old,
    'elastic:password-of-the-lost-cluster',
    '/_snapshot/backups/good?wait_for_completion=true',
    'PUT',
  );
  if (taken.status !== 200) throw new Error(`the snapshot was not taken: ${taken.status}`);
}

/** One request as a given user. */
async function askAs(world: SearchWorld, login: string, path: string, method = 'GET') {
  const [name, query = ''] = path.split('?');
  const headers = { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  const request = { method, host: 'operator', path: name!, query, headers, body: Buffer.from('') };
  return await world.until([...world.nodes.values()][0]!.handle(request), hour);
}

export async function newCluster(store: MemoryStore, wrap?: CrashPlan['wrap']): Promise<SearchWorld> {
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

/** Things that must be there after a recovery, but are not. */
export async function missingIn(world: SearchWorld): Promise<string[]> {
  const missing: string[] = [];
  const check = (what: string, holds: boolean) => void (holds ? undefined : missing.push(what));
  const ask = (path: string) => world.search<Record<string, unknown>>('GET', path);
  check('elastic with the password of the secret', 'cluster_name' in (await ask('/_cluster/health')));
  check('documents of the data stream', (await ask('/web-app/_count')).count === 1);
  check('a data stream that rolls over', (await world.search('POST', '/web-app/_rollover')).rolled_over === true);
  check('documents', (await ask('/docs/_count')).count === 1);
  check('the feature of Kibana', (await ask('/.kibana_1/_count')).count === 1);
  check('the user with the password', (await askAs(world, 'ann:ann-password', '/_cluster/health')).status === 200);
  check('the role', 'reader' in (await ask('/_security/role/reader')));
  check('the lifecycle policy', 'month' in (await ask('/_ilm/policy')));
  check('the template', JSON.stringify(await ask('/_index_template/web')).includes('month'));
  const policies = Object.keys(await ask('/_slm/policy'));
  check('the snapshot policies', policies.length === 5 && policies.includes('own'));
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

let lost: Promise<MemoryStore> | undefined;

/** Nothing changes the snapshot: all stories recover from the same one. */
async function lostStore(): Promise<MemoryStore> {
  const store = new MemoryStore();
  await lostCluster(store);
  return store;
}

/** A cluster is recovered by a command that dies once and is run again. */
export async function recoverStory(at: CrashPoint | undefined): Promise<CrashStory> {
  lost ??= lostStore();
  let armed = true;
  const plan = new CrashPlan(({ argv }) => armed && argv.includes('recover-cluster'), at);
  const world = await newCluster(await lost, plan.wrap);
  const [host] = world.inService('search-data') as [string];
  await world.search('PUT', '/_snapshot/backups', { type: 's3', settings: { bucket: 'search-snapshots' } });
  void world.begin(host, 'cluster-cli snapshots recover-cluster --yes');
  await world.clock.advance(hour / 4);
  armed = false;
  const again = await world.run(host, 'cluster-cli snapshots recover-cluster --yes');
  const violations: string[] = [];
  if (again.exitCode === 3) {
    // A recovery that was begun goes on only when asked to, and the refusal says how.
    if (!again.stderr.includes('go on with --resume')) violations.push(`refused without a way out: ${again.stderr}`);
    await world.run(host, 'cluster-cli snapshots recover-cluster --resume');
  }
  return { plan, violations: [...violations, ...(await missingIn(world))] };
}

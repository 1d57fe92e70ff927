import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/index.ts';
import { TestCluster } from './search-support.ts';

const template = {
  index_patterns: ['logs-*'],
  data_stream: {},
  template: { settings: { number_of_shards: 1, number_of_replicas: 0 } },
};
const auth = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const elastic = { headers: auth('elastic', 'first') };

/** Clusters on one bucket, each with its own `elastic` password. */
async function cluster(store: MemoryStore, bootstrapPassword = 'first'): Promise<TestCluster> {
  return await TestCluster.formed(3, { openStore: () => store, security: { bootstrapPassword } });
}

async function withStream(test: TestCluster): Promise<string> {
  await test.put('/_index_template/logs', template, elastic);
  for (const message of ['a', 'b'])
    await test.post('/logs-app/_doc?refresh=true', { '@timestamp': '2026-01-05T00:00:00Z', message }, elastic);
  await test.put('/_snapshot/backups', { type: 's3', settings: { bucket: 'b' } }, elastic);
  const { body } = await test.get('/_data_stream/logs-app', elastic);
  return body.data_streams[0].indices[0].index_name;
}

const snapshot = (test: TestCluster, body: object = {}, name = 's1') =>
  test.put(`/_snapshot/backups/${name}?wait_for_completion=true`, body, elastic);
const restore = (test: TestCluster, body: object, options: object = elastic) =>
  test.post('/_snapshot/backups/s1/_restore?wait_for_completion=true', body, options);

describe('a data stream', () => {
  it('a data stream is made by the first document, rolls over and takes documents with a time and op_type create only', async () => {
    const test = await cluster(new MemoryStore());
    const first = await withStream(test);
    expect(first).toMatch(/^\.ds-logs-app-\d{4}\.\d\d\.\d\d-000001$/);

    const { body: rolled } = await test.post('/logs-app/_rollover', undefined, elastic);
    expect(rolled).toMatchObject({
      rolled_over: true,
      old_index: first,
      new_index: first.replace(/000001$/, '000002'),
    });
    const written = await test.post('/logs-app/_doc?refresh=true', { '@timestamp': 1 }, elastic);
    expect(written.body._index).toBe(rolled.new_index);
    expect((await test.get('/logs-app/_count', elastic)).body.count).toBe(3);
    expect((await test.get('/logs-*/_count', elastic)).body.count).toBe(3);

    const index = await test.put('/logs-app/_doc/1', { '@timestamp': 1 }, elastic);
    expect([index.status, index.body.error.reason]).toEqual([
      400,
      'only write ops with an op_type of create are allowed in data streams',
    ]);
    const timeless = await test.post('/logs-app/_doc', { message: 'x' }, elastic);
    expect([timeless.status, timeless.body.error.caused_by.reason]).toEqual([
      400,
      'data stream timestamp field [@timestamp] is missing',
    ]);
    const behind = await test.put(`/${rolled.new_index}/_create/9`, { '@timestamp': 1 }, elastic);
    expect([behind.status, behind.body.error.reason]).toEqual([
      400,
      'index request with op_type=create targeting backing indices is disallowed, target corresponding data stream [logs-app] instead',
    ]);
    expect((await test.delete(`/${rolled.new_index}`, elastic)).body.error.reason).toBe(
      `index [${rolled.new_index}] is the write index for data stream [logs-app] and cannot be deleted`,
    );
    expect((await test.put('/logs-x', {}, elastic)).body.error.reason).toContain('that creates data streams only');
    expect((await test.delete('/_data_stream/logs-app', elastic)).status).toBe(200);
    expect((await test.get(`/${first}`, elastic)).status).toBe(404);
  });

  it('comes back from a snapshot as a whole, under its name or another one', async () => {
    const test = await cluster(new MemoryStore());
    const first = await withStream(test);
    expect((await snapshot(test)).body.snapshot).toMatchObject({ data_streams: ['logs-app'], state: 'SUCCESS' });

    const open = await restore(test, { indices: 'logs-app' });
    expect([open.status, open.body.error.reason]).toEqual([
      500,
      expect.stringContaining(`cannot restore index [${first}] because an open index with same name already exists`),
    ]);
    const renamed = await restore(test, {
      indices: 'logs-app',
      rename_pattern: '(.+)',
      rename_replacement: 'logs-old-$1',
    });
    expect(renamed.body.snapshot).toMatchObject({ indices: [first.replace('.ds-', '.ds-logs-old-')] });
    expect((await test.get('/logs-old-logs-app/_count', elastic)).body.count).toBe(2);
    expect((await test.post('/logs-old-logs-app/_rollover', undefined, elastic)).body.rolled_over).toBe(true);

    await test.delete('/_data_stream/logs-app', elastic);
    expect((await restore(test, { indices: 'logs-app' })).body.snapshot.shards).toMatchObject({ failed: 0 });
    expect((await test.get('/_data_stream/logs-app', elastic)).body.data_streams).toMatchObject([
      { name: 'logs-app', status: 'GREEN', indices: [{ index_name: first }] },
    ]);
  });

  it('cannot roll over while no template matches its name', async () => {
    const test = await cluster(new MemoryStore());
    await withStream(test);
    await snapshot(test);
    await restore(test, { indices: 'logs-app', rename_pattern: '^logs', rename_replacement: 'old' });

    const { status, body } = await test.post('/old-app/_rollover', undefined, elastic);

    expect([status, body.error.reason]).toEqual([400, 'no matching index template found for data stream [old-app]']);
  });
});

describe('feature states', () => {
  it('a secured cluster has .security-7 with a replica from its first boot', async () => {
    const test = await cluster(new MemoryStore());

    expect((await test.get('/_cluster/health', elastic)).body).toMatchObject({
      active_primary_shards: 1,
      active_shards: 2,
    });
    expect((await test.get('/_cat/shards?format=json&h=index,prirep,state', elastic)).body).toEqual(
      expect.arrayContaining([
        { index: '.security-7', prirep: 'p', state: 'STARTED' },
        { index: '.security-7', prirep: 'r', state: 'STARTED' },
      ]),
    );
  });

  it('a snapshot of one index holds every feature with the global state, and none without it', async () => {
    const test = await cluster(new MemoryStore());
    await withStream(test);
    await test.put('/docs', { settings: { number_of_replicas: 0 } }, elastic);
    await test.put('/.kibana_1', { settings: { number_of_replicas: 0 } }, elastic);

    const whole = (await snapshot(test, { indices: 'docs' })).body.snapshot;
    expect(whole.indices.sort()).toEqual(['.kibana_1', '.security-7', 'docs']);
    expect(whole.feature_states).toEqual([
      { feature_name: 'kibana', indices: ['.kibana_1'] },
      { feature_name: 'security', indices: ['.security-7'] },
    ]);
    const without = (await snapshot(test, { indices: 'docs', include_global_state: false }, 's2')).body.snapshot;
    expect([without.indices, without.feature_states]).toEqual([['docs'], []]);
    const one = (await snapshot(test, { indices: 'docs', feature_states: ['kibana'] }, 's3')).body.snapshot;
    expect(one.feature_states).toEqual([{ feature_name: 'kibana', indices: ['.kibana_1'] }]);
    const none = (await snapshot(test, { indices: 'docs', feature_states: ['none'] }, 's4')).body.snapshot;
    expect(none.feature_states).toEqual([]);
  });

  it('system indices are refused by name and come back with their feature, over what is there', async () => {
    const test = await cluster(new MemoryStore());
    await withStream(test);
    await test.put('/.kibana_1/_doc/1?refresh=true', { title: 'dashboard' }, elastic);
    await snapshot(test);
    await test.delete('/.kibana_1/_doc/1?refresh=true', elastic);

    const byName = await restore(test, { indices: '.kibana_1' });
    expect([byName.status, byName.body.error.reason]).toEqual([
      400,
      'requested system indices [.kibana_1], but system indices can only be restored as part of a feature state',
    ]);
    const unknown = await restore(test, { indices: '-*', feature_states: ['watcher'] });
    expect(unknown.body.error.reason).toContain('requested feature states [[watcher]] are not present in snapshot');
    const feature = await restore(test, { indices: '-*', feature_states: ['kibana'] });
    expect(feature.body.snapshot.indices).toEqual(['.kibana_1']);
    expect((await test.get('/.kibana_1/_count', elastic)).body.count).toBe(1);
  });

  it('the security feature brings users and passwords of the snapshot into another cluster, where a file user stays', async () => {
    const store = new MemoryStore();
    const old = await cluster(store);
    await withStream(old);
    await old.put('/_security/user/ann', { password: 'ann-password', roles: ['superuser'] }, elastic);
    await old.post('/_security/user/elastic/_password', { password: 'changed' }, elastic);
    const changed = { headers: auth('elastic', 'changed') };
    await old.put('/_snapshot/backups/s1?wait_for_completion=true', {}, changed);

    const test = await cluster(store, 'second');
    const second = { headers: auth('elastic', 'second') };
    test.nodes[0]!.fileUsers.set('rescue', { password: 'secret', roles: ['superuser'] });
    const rescue = { headers: auth('rescue', 'secret') };
    await test.put('/_snapshot/backups', { type: 's3', settings: { bucket: 'b', readonly: true } }, second);
    expect((await restore(test, { indices: '-*', feature_states: ['security'] }, rescue)).status).toBe(200);

    expect((await test.get('/', second)).status).toBe(401);
    expect((await test.get('/', changed)).status).toBe(200);
    expect((await test.get('/', { headers: auth('ann', 'ann-password') })).status).toBe(200);
    expect((await test.get('/', rescue)).status).toBe(200);
    expect((await test.get('/', { ...rescue, node: test.nodes[1]! })).status).toBe(401);
    await test.post('/_security/user/elastic/_password', { password: 'second' }, rescue);
    expect((await test.get('/', second)).status).toBe(200);
  });
});

describe('global state', () => {
  it('replaces settings, templates and policies, and brings records of old nodes back', async () => {
    const store = new MemoryStore();
    const old = await cluster(store);
    await withStream(old);
    await old.put(
      '/_ilm/policy/thirty-days',
      { policy: { phases: { delete: { min_age: '30d', actions: { delete: {} } } } } },
      elastic,
    );
    await old.put('/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '99mb' } }, elastic);
    await old.put('/_slm/policy/nightly', { name: 'n', schedule: '0 30 1 * * ?', repository: 'backups' }, elastic);
    const { id } = old.nodes[2]!;
    await old.put(`/_nodes/${id}/shutdown`, { type: 'remove', reason: 'drain' }, elastic);
    await snapshot(old);

    const test = await cluster(store);
    await test.put('/_snapshot/backups', { type: 's3', settings: { bucket: 'b', readonly: true } }, elastic);
    await test.put('/_index_template/own', { index_patterns: ['own'] }, elastic);
    await test.post('/_slm/stop', undefined, elastic);
    await restore(test, { indices: '-*', include_global_state: true, feature_states: ['none'] });

    const names = async (path: string, member: string) =>
      ((await test.get(path, elastic)).body[member] as { name: string }[]).map(({ name }) => name);
    expect(await names('/_index_template', 'index_templates')).toEqual(['logs']);
    expect(Object.keys((await test.get('/_ilm/policy', elastic)).body)).toEqual(['thirty-days']);
    expect(Object.keys((await test.get('/_slm/policy', elastic)).body)).toEqual(['nightly']);
    expect((await test.get('/_slm/status', elastic)).body.operation_mode).toBe('RUNNING');
    expect((await test.get('/_cluster/settings?flat_settings=true', elastic)).body.persistent).toEqual({
      'indices.recovery.max_bytes_per_sec': '99mb',
    });
    expect((await test.get('/_nodes/shutdown', { ...elastic, unchecked: true })).body.nodes).toMatchObject([
      { node_id: id },
    ]);
    const write = await test.put('/_snapshot/backups/s9', {}, elastic);
    expect([write.status, write.body.error.reason]).toEqual([
      400,
      '[backups] cannot create snapshot in a readonly repository',
    ]);
  });

  it('global state is refused where the snapshot has none', async () => {
    const test = await cluster(new MemoryStore());
    await withStream(test);
    await snapshot(test, { include_global_state: false });

    expect((await restore(test, { include_global_state: true })).body.error.reason).toContain(
      'cannot restore global state since the snapshot was created without global state',
    );
  });
});

it('a shard whose object in the bucket is damaged fails, and the restore says so', async () => {
  const store = new MemoryStore();
  const test = await cluster(store);
  await withStream(test);
  await test.put('/docs', { settings: { number_of_replicas: 0 } }, elastic);
  await test.put('/docs/_doc/1?refresh=true', { a: 1 }, elastic);
  await snapshot(test, { indices: 'docs', feature_states: ['none'] });
  const key = [...store.objects.keys()].find((name) => name.startsWith('indices/'))!;
  store.objects.set(key, Buffer.from('other bytes'));

  const { body } = await restore(test, { rename_pattern: '^', rename_replacement: 'old-' });

  expect(body.snapshot.shards).toEqual({ total: 1, failed: 1, successful: 0 });
  expect((await test.get('/_cluster/health/old-docs', elastic)).body.status).toBe('red');
});

import { expect } from 'vitest';
import { contract } from './contract.ts';
import { documents, needs, repository, take, view } from './snapshot-cases.ts';

const options = { needs };

contract(
  'a snapshot of an index without a primary fails and is not kept, a partial one is kept without it',
  async (target) => {
    await repository(target, 'contract-partial');
    await documents(target, 'contract-partial-books');
    const settings = { number_of_replicas: 0, 'index.routing.allocation.require._name': 'nobody' };
    target.cleanup(() => target.delete('/contract-homeless?ignore_unavailable=true'));
    await target.must('PUT', '/contract-homeless?wait_for_active_shards=0', { body: { settings } });
    const body = { indices: 'contract-partial-books,contract-homeless', include_global_state: false };
    const put = (name: string) => `/_snapshot/contract-partial/${name}?wait_for_completion=true`;

    const refused = await target.put(put('whole'), body);
    expect([refused.status, refused.body.error.type]).toEqual([500, 'snapshot_exception']);
    await target.see('not kept', 'GET', '/_snapshot/contract-partial/whole');
    const taken = (await target.put(put('part'), { ...body, partial: true })).body.snapshot;
    expect(taken).toMatchObject({ state: 'PARTIAL', shards: { total: 3, failed: 1, successful: 2 } });
    expect(taken.failures[0]).toMatchObject({ index: 'contract-homeless', reason: 'primary shard is not allocated' });
    target.cleanup(() => target.delete('/back-*?ignore_unavailable=true'));
    const rename = { rename_pattern: '(.+)', rename_replacement: 'back-$1', include_global_state: false };
    const restore = '/_snapshot/contract-partial/part/_restore?wait_for_completion=true';
    const lacking = await target.post(restore, { ...rename, indices: 'contract-homeless' });
    expect([lacking.status, lacking.body.error.type]).toEqual([500, 'snapshot_restore_exception']);
    target.cleanup(() => target.delete('/back-contract-partial-books?ignore_unavailable=true'));
    await target.see('what it has', 'POST', restore, { body: { ...rename, indices: 'contract-partial-books' } });
  },
  options,
);

contract(
  'a read-only repository shows the snapshots of another one and refuses to change them',
  async (target) => {
    const settings = await repository(target, 'contract-written');
    await documents(target, 'contract-written-books');
    await take(target, 'contract-written/one', { indices: 'contract-written-books', include_global_state: false });
    target.cleanup(() => target.delete('/_snapshot/contract-read'));
    const body = { type: 'fs', settings: { ...settings, readonly: true } };
    await target.must('PUT', '/_snapshot/contract-read', { body });

    await target.see('shown', 'GET', '/_snapshot/contract-read/_all', {}, view);
    await target.see('create', 'PUT', '/_snapshot/contract-read/two?wait_for_completion=true');
    await target.see('delete', 'DELETE', '/_snapshot/contract-read/one');
    expect((await target.get('/_snapshot/contract-written/one')).status).toBe(200);
  },
  options,
);

contract(
  'a repository is verified by every node, and when it is registered unless that is not wanted',
  async (target) => {
    const settings = await repository(target, 'contract-verified');
    const { body } = await target.must('POST', '/_snapshot/contract-verified/_verify');
    expect(Object.keys(body.nodes).sort()).toEqual(target.nodes.map(({ id }) => id).sort());

    await target.see('without', 'PUT', '/_snapshot/contract-verified?verify=false', { body: { type: 'fs', settings } });
    await target.see('none such', 'POST', '/_snapshot/contract-absent/_verify');
    await target.see('clean up none such', 'POST', '/_snapshot/contract-absent/_cleanup');
  },
  options,
);

contract(
  'roles come back with the feature state of security',
  async (target) => {
    await repository(target, 'contract-roles');
    target.cleanup(() => target.delete('/_security/role/contract-kept-role'));
    await target.must('PUT', '/_security/role/contract-kept-role', { body: { cluster: ['monitor'] } });
    const content = { indices: '-*', feature_states: ['security'], include_global_state: false };
    const { body } = await take(target, 'contract-roles/one', content);
    expect(body.snapshot.feature_states.map((each: { feature_name: string }) => each.feature_name)).toEqual([
      'security',
    ]);

    await target.must('DELETE', '/_security/role/contract-kept-role');
    const restore = { indices: '-*', feature_states: ['security'], include_global_state: false };
    await target.must('POST', '/_snapshot/contract-roles/one/_restore?wait_for_completion=true', { body: restore });
    await target.until('the role', async () => (await target.get('/_security/role/contract-kept-role')).status === 200);
  },
  { needs: [...needs, 'native users'] },
);

contract(
  'feature states that a server or a snapshot does not have are refused',
  async (target) => {
    await repository(target, 'contract-features');
    await documents(target, 'contract-features-books');
    const put = '/_snapshot/contract-features';
    const content = { indices: 'contract-features-books', include_global_state: false };
    await take(target, 'contract-features/one', content);

    await target.see('unknown', 'PUT', `${put}/two`, { body: { ...content, feature_states: ['nope'] } });
    const restore = `${put}/one/_restore`;
    await target.see('not in it', 'POST', restore, { body: { indices: '-*', feature_states: ['security'] } });
    await target.see('none beside', 'POST', restore, { body: { feature_states: ['none', 'security'] } });
  },
  options,
);

contract(
  'the global state brings templates back, and settings as they were',
  async (target) => {
    await repository(target, 'contract-state');
    target.cleanup(() => target.delete('/_index_template/contract-kept'));
    await target.settings({ 'cluster.max_shards_per_node': 1234 });
    const template = { index_patterns: ['contract-kept-*'], template: { settings: { number_of_replicas: 0 } } };
    await target.must('PUT', '/_index_template/contract-kept', { body: template });
    await take(target, 'contract-state/one', { indices: '-*', feature_states: ['none'], include_global_state: true });
    await target.must('DELETE', '/_index_template/contract-kept');
    await target.must('PUT', '/_cluster/settings', { body: { persistent: { 'cluster.max_shards_per_node': 777 } } });

    await target.must('POST', '/_snapshot/contract-state/one/_restore?wait_for_completion=true', {
      body: { indices: '-*', feature_states: ['none'], include_global_state: true },
    });
    expect((await target.get('/_index_template/contract-kept')).status).toBe(200);
    const { persistent } = (await target.must('GET', '/_cluster/settings?flat_settings')).body;
    expect(persistent['cluster.max_shards_per_node']).toBe('1234');
    expect((await target.get('/_snapshot/contract-state')).status).toBe(200);
  },
  options,
);

contract(
  'restore leaves out what is missing when the request says so, and refuses two indices of one name',
  async (target) => {
    await repository(target, 'contract-chosen');
    await documents(target, 'contract-chosen-1');
    await documents(target, 'contract-chosen-2');
    await take(target, 'contract-chosen/one', { indices: 'contract-chosen-*', include_global_state: false });
    target.cleanup(() => target.delete('/back-contract-chosen-1?ignore_unavailable=true'));
    const restore = '/_snapshot/contract-chosen/one/_restore?wait_for_completion=true';
    const rename = { rename_pattern: '(.+)', rename_replacement: 'back-$1' };

    await target.see('one of two', 'POST', restore, {
      body: { ...rename, indices: 'contract-chosen-1,contract-none', ignore_unavailable: true },
    });
    const same = await target.post(restore, { rename_pattern: '.+', rename_replacement: 'back-same' });
    expect([same.status, same.body.error.type]).toEqual([500, 'snapshot_restore_exception']);
    await target.see('a name that no index may have', 'POST', restore, {
      body: { indices: 'contract-chosen-1', rename_pattern: '.+', rename_replacement: 'Back' },
    });
  },
  options,
);

contract(
  'snapshots of the same content need no more room, and each can be deleted alone',
  async (target) => {
    await repository(target, 'contract-shared');
    await documents(target, 'contract-shared-books');
    const content = { indices: 'contract-shared-books', include_global_state: false };
    for (const name of ['one', 'two', 'three']) await take(target, `contract-shared/${name}`, content);
    const { stats } = (await target.must('GET', '/_snapshot/contract-shared/three/_status')).body.snapshots[0];
    expect(stats.incremental.size_in_bytes).toBeLessThan(stats.total.size_in_bytes);

    await target.see('two at once', 'DELETE', '/_snapshot/contract-shared/one,two');
    await target.must('DELETE', '/contract-shared-books');
    await target.must('POST', '/_snapshot/contract-shared/three/_restore?wait_for_completion=true');
    await target.health('contract-shared-books');
    expect((await target.get('/contract-shared-books/_count')).body.count).toBe(3);
  },
  options,
);

import { expect } from 'vitest';
import { contract } from './contract.ts';
import { documents, needs, repository, take, view } from './snapshot-cases.ts';

contract(
  'repositories are registered, verified, cleaned up and removed',
  async (target) => {
    const settings = { location: `${target.repositoryPath}/contract-registered` };
    target.cleanup(() => target.delete('/_snapshot/contract-registered'));

    await target.see('register', 'PUT', '/_snapshot/contract-registered', { body: { type: 'fs', settings } });
    await target.see('get', 'GET', '/_snapshot/contract-registered', {}, view);
    await target.see('verify', 'POST', '/_snapshot/contract-registered/_verify', {}, { as: 'shape' });
    await target.see('clean up', 'POST', '/_snapshot/contract-registered/_cleanup');
    await target.see('rows', 'GET', '/_cat/repositories?format=json');
    await target.see('no snapshots', 'GET', '/_snapshot/contract-registered/_all');
    await target.see('nothing runs', 'GET', '/_snapshot/contract-registered/_current');
    await target.see('nothing runs anywhere', 'GET', '/_snapshot/_status');
    await target.see('forget', 'DELETE', '/_snapshot/contract-registered');
    await target.see('forgotten', 'GET', '/_snapshot/contract-registered');
  },
  { needs },
);

contract(
  'put repository refuses unknown types, missing settings and invalid names',
  async (target) => {
    const put = (step: string, name: string, body: unknown) => target.see(step, 'PUT', `/_snapshot/${name}`, { body });

    await put('no location', 'contract-bad', { type: 'fs' });
    await put('outside', 'contract-bad', { type: 'fs', settings: { location: '/elsewhere' } });
    await put('unknown type', 'contract-bad', { type: 'nope', settings: {} });
    await put('no type', 'contract-bad', { settings: {} });
    await put('bad name', 'contract,bad', { type: 'fs', settings: { location: target.repositoryPath } });
    await put('bad name with #', 'contract%23bad', { type: 'fs', settings: { location: target.repositoryPath } });
  },
  { needs },
);

contract(
  'a snapshot is taken and shown by get, status and cat',
  async (target) => {
    await repository(target, 'contract-taken');
    await documents(target, 'contract-taken-books');
    const body = { indices: 'contract-taken-books', include_global_state: false, metadata: { taken_by: 'contract' } };

    await target.see('take', 'PUT', '/_snapshot/contract-taken/one?wait_for_completion=true', { body }, view);
    await target.see('get', 'GET', '/_snapshot/contract-taken/one', {}, view);
    await target.see('all', 'GET', '/_snapshot/contract-taken/_all', {}, view);
    await target.see('brief', 'GET', '/_snapshot/contract-taken/_all?verbose=false', {}, view);
    await target.see('status', 'GET', '/_snapshot/contract-taken/one/_status', {}, { as: 'shape' });
    await target.see(
      'rows',
      'GET',
      '/_cat/snapshots/contract-taken?format=json&h=id,repository,status,indices,successful_shards,failed_shards,total_shards,reason',
    );
    await target.see('again', 'PUT', '/_snapshot/contract-taken/one?wait_for_completion=true', { body }, view);
  },
  { needs },
);

contract(
  'a snapshot without wait_for_completion is accepted and completes later',
  async (target) => {
    await repository(target, 'contract-background');
    await documents(target, 'contract-background-books');

    await target.see('accepted', 'PUT', '/_snapshot/contract-background/one', {
      body: { indices: 'contract-background-books', include_global_state: false },
    });
    const snapshot = await target.until('the snapshot is done', async () => {
      const { body } = await target.get('/_snapshot/contract-background/one');
      return body.snapshots[0].state === 'SUCCESS' && body.snapshots[0];
    });
    expect(snapshot.shards).toEqual({ total: 2, failed: 0, successful: 2 });
  },
  { needs },
);

contract(
  'snapshot APIs refuse invalid names and missing indices and snapshots',
  async (target) => {
    await repository(target, 'contract-refusing');
    await target.see('upper case', 'PUT', '/_snapshot/contract-refusing/One');
    await target.see('underscore', 'PUT', '/_snapshot/contract-refusing/_one');
    await target.see('missing index', 'PUT', '/_snapshot/contract-refusing/one', {
      body: { indices: 'contract-missing' },
    });
    await target.see('bad value', 'PUT', '/_snapshot/contract-refusing/one', { body: { ignore_unavailable: 'maybe' } });
    await target.see('missing', 'GET', '/_snapshot/contract-refusing/one');
    await target.see('missing status', 'GET', '/_snapshot/contract-refusing/one/_status');
    await target.see('delete missing', 'DELETE', '/_snapshot/contract-refusing/one');
    await target.see('delete nothing', 'DELETE', '/_snapshot/contract-refusing/nothing-*');
    await target.see('restore missing', 'POST', '/_snapshot/contract-refusing/one/_restore');
  },
  { needs },
);

contract(
  'restore renames indices, and is refused over an open index',
  async (target) => {
    await repository(target, 'contract-restoring');
    await documents(target, 'contract-restoring-books');
    await take(target, 'contract-restoring/one', { indices: 'contract-restoring-books', include_global_state: false });
    target.cleanup(() => target.delete('/restored-*'));
    target.cleanup(() => target.delete('/restored-contract-restoring-books?ignore_unavailable=true'));

    await target.see('over an open index', 'POST', '/_snapshot/contract-restoring/one/_restore');
    await target.see('unknown field', 'POST', '/_snapshot/contract-restoring/one/_restore', { body: { nope: 1 } });
    await target.see('missing index', 'POST', '/_snapshot/contract-restoring/one/_restore', {
      body: { indices: 'contract-missing' },
    });
    const body = {
      indices: 'contract-restoring-books',
      rename_pattern: '(.+)',
      rename_replacement: 'restored-$1',
      index_settings: { 'index.number_of_replicas': 0 },
    };
    await target.see('renamed', 'POST', '/_snapshot/contract-restoring/one/_restore?wait_for_completion=true', {
      body,
    });
    expect((await target.get('/restored-contract-restoring-books/_count')).body.count).toBe(3);
    await target.see('settings', 'GET', '/restored-contract-restoring-books/_settings/index.number_of_*');
    await target.see(
      'recovery',
      'GET',
      '/_cat/recovery/restored-contract-restoring-books?format=json&s=shard&h=index,shard,type,stage,repository,snapshot,files_percent,bytes_percent',
    );
  },
  { needs },
);

contract(
  'restore brings back a deleted index',
  async (target) => {
    await repository(target, 'contract-deleted');
    await documents(target, 'contract-deleted-books', 5);
    await take(target, 'contract-deleted/one', { indices: 'contract-deleted-books', include_global_state: false });
    await target.must('DELETE', '/contract-deleted-books');

    await target.see('accepted', 'POST', '/_snapshot/contract-deleted/one/_restore');
    await target.health('contract-deleted-books');
    await target.must('POST', '/contract-deleted-books/_refresh');
    expect((await target.get('/contract-deleted-books/_count')).body.count).toBe(5);
  },
  { needs },
);

contract(
  'restore replaces a closed index',
  async (target) => {
    await repository(target, 'contract-closed');
    await documents(target, 'contract-closed-books');
    await take(target, 'contract-closed/one', { indices: 'contract-closed-books', include_global_state: false });
    await target.must('DELETE', '/contract-closed-books/_doc/1?refresh=true');
    await target.see('close', 'POST', '/contract-closed-books/_close');

    await target.see('restore', 'POST', '/_snapshot/contract-closed/one/_restore?wait_for_completion=true');
    await target.health('contract-closed-books');
    expect((await target.get('/contract-closed-books/_count')).body.count).toBe(3);
  },
  { needs },
);

contract(
  'restore brings back aliases and settings, and changes them on request',
  async (target) => {
    await repository(target, 'contract-settings');
    target.cleanup(() => target.delete('/contract-again-1,contract-again-2?ignore_unavailable=true'));
    await documents(target, 'contract-kept');
    await target.must('PUT', '/contract-kept/_alias/contract-read', { body: { filter: { term: { a: 1 } } } });
    await target.must('PUT', '/contract-kept/_alias/contract-write', { body: { is_write_index: true, routing: '1' } });
    const settings = { refresh_interval: '7s', 'blocks.write': true, priority: 3 };
    await target.must('PUT', '/contract-kept/_settings', { body: settings });
    await take(target, 'contract-settings/one', { indices: 'contract-kept', include_global_state: false });
    await target.must('DELETE', '/contract-kept');
    const restore = (step: string, body: unknown) =>
      target.see(step, 'POST', '/_snapshot/contract-settings/one/_restore?wait_for_completion=true', { body });
    const rename = (to: string) => ({ rename_pattern: 'contract-kept', rename_replacement: to });
    const look = async (name: string) => {
      await target.see(`aliases of ${name}`, 'GET', `/${name}/_alias`);
      const kept = 'index.refresh_interval,index.blocks.write,index.priority,index.number_of_replicas';
      await target.see(`settings of ${name}`, 'GET', `/${name}/_settings/${kept}?flat_settings`);
    };

    await restore('as it was', {});
    await look('contract-kept');
    await restore('without aliases', {
      ...rename('contract-again-1'),
      include_aliases: false,
      index_settings: { 'index.number_of_replicas': 0, 'index.refresh_interval': '9s' },
      ignore_index_settings: ['index.blocks.write'],
    });
    await look('contract-again-1');
    await restore('a second index for writes', rename('contract-again-2'));
    await restore('another number of shards', {
      ...rename('contract-again-2'),
      index_settings: { 'index.number_of_shards': 1 },
    });
    await restore('settings that must stay', {
      ...rename('contract-again-2'),
      ignore_index_settings: ['index.number_of_shards'],
    });
  },
  { needs },
);

contract(
  'a snapshot holds closed indices by name and by pattern, as expand_wildcards says',
  async (target) => {
    await repository(target, 'contract-shut');
    await documents(target, 'contract-shut-closed');
    await documents(target, 'contract-shut-open');
    await target.index('contract-shut-hidden', { number_of_shards: 1, number_of_replicas: 0, hidden: true });
    await target.must('POST', '/contract-shut-closed/_close');
    await target.health('contract-shut-closed');
    const see = (step: string, body: Readonly<Record<string, unknown>>) => {
      const name = step.replaceAll(/\W+/g, '-');
      const path = `/_snapshot/contract-shut/${name}?wait_for_completion=true`;
      const content = `${path}&filter_path=snapshot.indices,snapshot.state,snapshot.shards,error,status`;
      return target.see(step, 'PUT', content, { body: { include_global_state: false, ...body } });
    };

    await see('by name', { indices: 'contract-shut-closed' });
    await see('by pattern', { indices: 'contract-shut-*' });
    await see('by pattern, all', { indices: 'contract-shut-*', expand_wildcards: 'all' });
    await see('by pattern, open', { indices: 'contract-shut-*', expand_wildcards: 'open' });
    await see('by pattern, closed', { indices: 'contract-shut-*', expand_wildcards: 'closed' });
    await see('by pattern, open and hidden', { indices: ['contract-shut-*'], expand_wildcards: ['open', 'hidden'] });
    await see('by pattern, none', { indices: 'contract-shut-*', expand_wildcards: 'none' });
    await see('by pattern, unknown', { indices: 'contract-shut-*', expand_wildcards: 'nope' });
    await see('by name, open', { indices: 'contract-shut-closed', expand_wildcards: 'open' });
    await see('everything but', { indices: '*,-contract-shut-open,-.*' });
    await see('nothing may be found', { indices: 'contract-none-*' });
    await see('something must be found', { indices: 'contract-none-*', allow_no_indices: false });
    await see('unknown field', { indices: 'contract-shut-*', nope: true });
    for (const indices of [undefined, '*', '_all']) {
      const { body } = await take(target, `contract-shut/named-${['no', '*', '_all'].indexOf(indices ?? 'no')}`, {
        indices,
        include_global_state: false,
      });
      expect(body.snapshot.indices, indices).toEqual(
        expect.arrayContaining(['contract-shut-closed', 'contract-shut-open']),
      );
    }

    await target.must('DELETE', '/contract-shut-closed');
    await target.see('restore', 'POST', '/_snapshot/contract-shut/by-name/_restore?wait_for_completion=true');
    await target.see('restored', 'GET', '/_cat/indices/contract-shut-closed?format=json&h=index,status');
  },
  { needs },
);

contract(
  'get snapshots sorts, filters by pattern and limits its size',
  async (target) => {
    await repository(target, 'contract-many');
    for (const name of ['b-one', 'a-two', 'b-three']) {
      await take(target, `contract-many/${name}`, { indices: '-*', include_global_state: false });
      // A server's own time goes on in steps of 200 ms; snapshots of the same moment are sorted by their names.
      await target.transport.pass(300);
    }
    const names = async (path: string) =>
      ((await target.get(`/_snapshot/contract-many/${path}`)).body.snapshots as { snapshot: string }[]).map(
        ({ snapshot }) => snapshot,
      );

    expect(await names('_all')).toEqual(['b-one', 'a-two', 'b-three']);
    expect(await names('_all?sort=name')).toEqual(['a-two', 'b-one', 'b-three']);
    expect(await names('_all?sort=name&order=desc')).toEqual(['b-three', 'b-one', 'a-two']);
    expect(await names('b-*?sort=name')).toEqual(['b-one', 'b-three']);
    expect(await names('b-*,-b-one')).toEqual(['b-three']);
    expect(await names('_all?sort=name&size=2')).toEqual(['a-two', 'b-one']);
    await target.see('page', 'GET', '/_snapshot/contract-many/_all?sort=name&size=1&filter_path=total,remaining');
    await target.see('by two names', 'GET', '/_snapshot/contract-many/a-two,none-such');
    await target.see('ignoring what is missing', 'GET', '/_snapshot/contract-many/none-such?ignore_unavailable=true');
    await target.see('bad sort', 'GET', '/_snapshot/contract-many/_all?sort=nope');
  },
  { needs },
);

contract(
  'delete snapshot removes one snapshot and keeps the others',
  async (target) => {
    await repository(target, 'contract-cloning');
    await documents(target, 'contract-cloning-books');
    await take(target, 'contract-cloning/one', { indices: 'contract-cloning-books', include_global_state: false });

    await take(target, 'contract-cloning/two', { indices: 'contract-cloning-books', include_global_state: false });
    await target.see('delete', 'DELETE', '/_snapshot/contract-cloning/one');
    await target.see('deleted', 'GET', '/_snapshot/contract-cloning/one');
    expect((await target.get('/_snapshot/contract-cloning/two')).status).toBe(200);
  },
  { needs },
);

contract(
  'snapshot lifecycle policies are stored, executed and refused',
  async (target) => {
    await repository(target, 'contract-policy');
    const policy = {
      schedule: '0 30 1 * * ?',
      name: '<contract-{now/d}>',
      repository: 'contract-policy',
      config: { indices: 'none-*', ignore_unavailable: true },
      retention: { expire_after: '30d', min_count: 1, max_count: 5 },
    };
    target.cleanup(() => target.delete('/_slm/policy/contract-policy'));

    expect((await target.put('/_slm/policy/contract-policy', policy)).body).toEqual({ acknowledged: true });
    const { body } = await target.get('/_slm/policy/contract-policy');
    expect(body['contract-policy']).toMatchObject({ version: 1, policy });
    const run = await target.post('/_slm/policy/contract-policy/_execute');
    expect(run.body.snapshot_name).toMatch(/^contract-\d{4}\.\d\d\.\d\d-/);
    await target.until('the snapshot is done', async () => {
      const answer = await target.get(`/_snapshot/contract-policy/${run.body.snapshot_name}`);
      return answer.status === 200 && answer.body.snapshots[0].state === 'SUCCESS';
    });
    expect((await target.get('/_slm/policy/none-such')).status).toBe(404);
    expect((await target.put('/_slm/policy/contract-policy', { ...policy, schedule: 'nope' })).status).toBe(400);
  },
  { needs: [...needs, 'snapshot lifecycle management'] },
);

contract(
  'the snapshot of a policy holds closed indices, as its expand_wildcards says',
  async (target) => {
    await repository(target, 'contract-policy-shut');
    await documents(target, 'contract-policy-closed');
    await documents(target, 'contract-policy-open');
    await target.must('POST', '/contract-policy-closed/_close');
    target.cleanup(() => target.delete('/_slm/policy/contract-policy-shut'));
    const taken = async (config: Readonly<Record<string, unknown>>) => {
      const body = { schedule: '0 30 1 * * ?', name: 'contract', repository: 'contract-policy-shut' };
      await target.must('PUT', '/_slm/policy/contract-policy-shut', { body: { ...body, config } });
      const run = await target.must('POST', '/_slm/policy/contract-policy-shut/_execute');
      return await target.until('the snapshot is done', async () => {
        const answer = await target.get(`/_snapshot/contract-policy-shut/${run.body.snapshot_name}`);
        const found = answer.status === 200 ? answer.body.snapshots[0] : undefined;
        return found?.state === 'SUCCESS' && [...(found.indices as string[])].sort();
      });
    };
    const config = { indices: 'contract-policy-*', include_global_state: false };

    expect(await taken(config)).toEqual(['contract-policy-closed', 'contract-policy-open']);
    expect(await taken({ ...config, indices: 'contract-policy-closed' })).toEqual(['contract-policy-closed']);
    expect(await taken({ ...config, expand_wildcards: 'open' })).toEqual(['contract-policy-open']);
  },
  { needs: [...needs, 'snapshot lifecycle management'] },
);

import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { userPasswords } from './passwords.ts';
import { snapshotPolicyStore } from './policies.ts';
import { snapshotRepositories } from './repositories.ts';
import { snapshotRestorer, snapshotStore } from './snapshots.ts';
import { testClient } from './test-client.test-support.ts';

const nodeId = 'AAAAAAAAAAAAAAAAAAAAAA';

describe('snapshot repositories', () => {
  it('exist unless Elasticsearch says 404', async () => {
    expect(await snapshotRepositories(testClient({ body: { backups: {} } }).client).exists('backups')).toBe(true);
    expect(await snapshotRepositories(testClient({ status: 404, body: {} }).client).exists('backups')).toBe(false);
    await expect(
      snapshotRepositories(testClient({ status: 500, body: {} }).client).exists('backups'),
    ).rejects.toThrow();
  });

  it('repositories are registered without verification, which is a separate request', async () => {
    const { client, requests } = testClient({ body: { acknowledged: true } });

    await snapshotRepositories(client).register('a/b', { bucket: 'bucket' });

    expect(requests).toEqual([
      'PUT /_snapshot/a%2Fb?verify=false {"type":"s3","settings":{"bucket":"bucket","client":"default"}}',
    ]);
  });

  it('repositories have a bucket and a client, and are forgotten by a DELETE that may come twice', async () => {
    const settings = { bucket: 'elsewhere', client: 'replica' };
    const known = testClient({ body: { replica: { type: 's3', settings } } });
    expect(await snapshotRepositories(known.client).placeOf('replica')).toEqual(settings);
    const gone = testClient({ status: 404, body: {} }, { status: 404, body: {} });
    expect(await snapshotRepositories(gone.client).placeOf('replica')).toBeUndefined();
    await snapshotRepositories(gone.client).forget('replica');
    expect(gone.requests).toEqual(['GET /_snapshot/replica', 'DELETE /_snapshot/replica']);
  });

  it('name the nodes that verified them', async () => {
    const { client } = testClient({ body: { nodes: { a: { name: 'data-1' }, b: { name: 'data-2' } } } });

    expect(await snapshotRepositories(client).verify('backups')).toEqual({
      verifiedBy: ['data-1', 'data-2'],
      failures: [],
    });
  });

  it('name the nodes that could not verify them, and why', async () => {
    const reason = `[backups] [[${nodeId}, 'java.io.IOException: it's denied']]`;
    const { client } = testClient(
      { status: 500, body: { error: { type: 'repository_verification_exception', reason } } },
      { body: { nodes: { [nodeId]: { name: 'data-1' } } } },
    );

    expect(await snapshotRepositories(client).verify('backups')).toEqual({
      verifiedBy: [],
      failures: [{ node: 'data-1', why: "java.io.IOException: it's denied" }],
    });
  });

  it('blame the master when it could not write, and fail for errors of another kind', async () => {
    const master = {
      status: 500,
      body: { error: { type: 'repository_exception', reason: 'x', caused_by: { reason: 'no such bucket' } } },
    };

    expect((await snapshotRepositories(testClient(master, { body: {} }).client).verify('b')).failures).toEqual([
      { node: 'the master', why: 'no such bucket' },
    ]);
    await expect(
      snapshotRepositories(testClient({ status: 500, body: { error: { type: 'oom', reason: 'full' } } }).client).verify(
        'b',
      ),
    ).rejects.toThrow('verification failed: full');
  });
});

describe('snapshots', () => {
  it('snapshots are started without waiting for completion', async () => {
    const { client, requests } = testClient({ body: { accepted: true } });

    await snapshotStore(client).start('backups', 's 1');

    expect(requests).toEqual([
      'PUT /_snapshot/backups/s%201?wait_for_completion=false {"indices":["*","-drover-drill-*"],"include_global_state":true}',
    ]);
  });

  it('snapshots are read with the failures of their shards', async () => {
    const failures = [{ index: 'logs', shard_id: 0, reason: 'node left' }];
    const end_time_in_millis = 1_790_000_000_000;
    const body = {
      snapshots: [{ snapshot: 's1', state: 'PARTIAL', indices: ['logs'], failures, end_time_in_millis }],
    };

    expect(await snapshotStore(testClient({ body }).client).get('backups', 's1')).toEqual({
      name: 's1',
      state: 'PARTIAL',
      indices: ['logs'],
      failures: ['shard 0 of logs: node left'],
      endedAt: end_time_in_millis,
    });
  });

  it('snapshots in an unknown state are unreadable', async () => {
    const body = { snapshots: [{ snapshot: 's1', state: 'ODD' }] };

    await expect(snapshotStore(testClient({ body }).client).get('backups', 's1')).rejects.toThrow('state is "ODD"');
  });
});

describe('a restore', () => {
  it('names its indices, leaves the global state out and renames when asked to', async () => {
    const { client, requests } = testClient({ body: { accepted: true } });

    const none = { featureStates: [], includeGlobalState: false, rename: undefined, dataStreams: [], restored: [] };
    const plan = { ...none, indices: ['a'] };
    const rename = { pattern: '(.+)', replacement: 'old-$1' };
    await snapshotRestorer(client).restore('r', 's', { ...plan, indices: ['a', 'b'], rename });
    await snapshotRestorer(client).restore('r', 's', plan);
    await snapshotRestorer(client).restore('r', 's', { ...plan, indices: [], featureStates: ['kibana'] });
    await snapshotRestorer(client).restore('r', 's', { ...plan, indices: [], includeGlobalState: true });

    expect(requests).toEqual([
      'POST /_snapshot/r/s/_restore?wait_for_completion=false {"indices":"a,b","include_global_state":false,"rename_pattern":"(.+)","rename_replacement":"old-$1"}',
      'POST /_snapshot/r/s/_restore?wait_for_completion=false {"indices":"a","include_global_state":false}',
      'POST /_snapshot/r/s/_restore?wait_for_completion=false {"indices":"-*","include_global_state":false,"feature_states":["kibana"]}',
      'POST /_snapshot/r/s/_restore?wait_for_completion=false {"indices":"-*","include_global_state":true,"feature_states":["none"]}',
    ]);
  });

  it('counts primaries and bytes of 5,000 named indices without a name in an address', async () => {
    const shard = (prirep: string, state: string, index = 'a') => ({ index, shard: '0', prirep, state });
    const size = (total: number, recovered: number) => ({
      size: { total_in_bytes: total, recovered_in_bytes: recovered },
    });
    const { client, requests } = testClient(
      {
        body: [
          shard('p', 'STARTED'),
          shard('p', 'INITIALIZING'),
          shard('p', 'UNASSIGNED'),
          shard('r', 'STARTED'),
          shard('p', 'UNASSIGNED', 'other'),
        ],
      },
      {
        body: {
          other: { shards: [{ type: 'SNAPSHOT', index: size(99, 99) }] },
          a: {
            shards: [
              { type: 'SNAPSHOT', index: size(10, 4) },
              { type: 'PEER', index: size(99, 99) },
            ],
          },
        },
      },
    );

    const names = Array.from({ length: 5_000 }, (_, at) => `a-long-name-of-an-index-${at}`);
    expect(await snapshotRestorer(client).progress(['a', ...names])).toEqual({
      shards: 3,
      done: 1,
      unassigned: 1,
      bytesTotal: 10,
      bytesRecovered: 4,
    });
    expect(requests).toEqual([
      'GET /_cat/shards?format=json&h=index,shard,prirep,state',
      'GET /_recovery?active_only=true',
    ]);
  });

  it('knows the names of open and hidden indices', async () => {
    const { client } = testClient({ body: [{ index: 'a' }, { index: '.b' }] });

    expect(await snapshotRestorer(client).openIndices()).toEqual(['a', '.b']);
  });
});

describe('snapshot policies', () => {
  const policy = {
    name: '<n>',
    schedule: '0 30 1 * * ?',
    repository: 'backups',
    unhealthy_if_no_snapshot_within: '1d',
  };

  it('the list of policies is empty when Elasticsearch returns 404', async () => {
    const store = snapshotPolicyStore(testClient({ status: 404, body: { error: { type: 'x' } } }).client);

    expect(await store.list()).toEqual({});
    expect(await snapshotPolicyStore(testClient({ body: { daily: { policy } } }).client).list()).toEqual({
      daily: policy,
    });
  });

  it('the limit of a policy stands in its metadata too, because servers before 9.1 forget it elsewhere', async () => {
    const { client, requests } = testClient({ body: {} });
    const config = { indices: ['a'], metadata: { by: 'us' } };

    await snapshotPolicyStore(client).put('daily', { ...policy, config });

    const sent = JSON.parse(requests[0]!.slice(requests[0]!.indexOf('{')));
    expect(sent).toEqual({
      ...policy,
      config: { indices: ['a'], metadata: { by: 'us', unhealthy_if_no_snapshot_within: '1d' } },
    });
    const { unhealthy_if_no_snapshot_within: _, ...forgetful } = sent;
    const { client: later } = testClient({ body: { daily: { policy: forgetful } } });
    expect(await snapshotPolicyStore(later).list()).toEqual({ daily: { ...policy, config } });
  });

  it('a policy without other metadata is listed without any', async () => {
    const config = { indices: ['a'] };
    const kept = { ...config, metadata: { unhealthy_if_no_snapshot_within: '1d' } };
    const { client } = testClient({ body: { daily: { policy: { ...policy, config: kept } } } });

    expect(await snapshotPolicyStore(client).list()).toEqual({ daily: { ...policy, config } });
  });

  it('a policy that is refused fails', async () => {
    const refused = { error: { type: 'x', reason: 'bad schedule' } };

    await expect(
      snapshotPolicyStore(testClient({ status: 400, body: refused }).client).put('daily', policy),
    ).rejects.toThrow('bad schedule');
  });

  it('expire by the schedule in force: transient before persistent before default', async () => {
    const layers = { persistent: { 'slm.retention_schedule': 'p' }, defaults: { 'slm.retention_schedule': 'd' } };

    expect(await snapshotPolicyStore(testClient({ body: layers }).client).retentionSchedule()).toBe('p');
    expect(await snapshotPolicyStore(testClient({ body: {} }).client).retentionSchedule()).toBeUndefined();
  });
});

describe('passwords of users', () => {
  it('passwords are tried with a login of their own: 401 means wrong, any other error is a failure', async () => {
    const login = async (status: number) => {
      const exchange = async () => ({ status, headers: {}, body: '{}' });
      const { client } = testClient({ body: {} });
      const address = { protocol: 'http', host: 'es', port: 9200 } as const;
      const options = { exchange, clock: new VirtualClock(), address, timeoutMs: 1000 };
      return await userPasswords(client, options).letsIn('elastic', 'p');
    };

    expect(await login(200)).toBe(true);
    expect(await login(401)).toBe(false);
    await expect(login(503)).rejects.toThrow('503');
  });

  it('passwords are changed with the API of the user', async () => {
    const { client, requests } = testClient({ body: {} });

    await userPasswords(client, {} as never).change('a b', 'new');

    expect(requests).toEqual(['POST /_security/user/a%20b/_password {"password":"new"}']);
  });

  it('passwords are changed again when another client writes the same user at the same moment, but not for ever', async () => {
    const conflict = { status: 409, body: { error: { type: 'version_conflict_engine_exception' } } };
    const other = testClient(conflict, conflict, { body: {} });
    const forEver = testClient(conflict);

    await userPasswords(other.client, {} as never).change('kibana_system', 'new');
    await expect(userPasswords(forEver.client, {} as never).change('kibana_system', 'new')).rejects.toThrow('409');

    expect([other.requests.length, forEver.requests.length]).toEqual([3, 5]);
  });
});

import { Client as Client8, HttpConnection as Connection8, errors as errors8 } from '@elastic/elasticsearch';
import { Client as Client9, HttpConnection as Connection9, errors as errors9 } from 'elasticsearch-9';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillSearch, type ServedSearch, serveSearch } from './served-search.ts';

/** Both clients have the same calls; the differences of their types do not matter here. */
type AnyClient = Client8;

interface Age {
  readonly version: string;
  open(search: ServedSearch, password?: string): AnyClient;
  readonly errors: typeof errors8;
}

const ages: readonly Age[] = [
  {
    version: '8.19.21',
    errors: errors8,
    open: ({ url, username, password }, other = password) =>
      new Client8({ node: url, auth: { username, password: other }, Connection: Connection8, maxRetries: 0 }),
  },
  {
    version: '9.4.3',
    errors: errors9 as unknown as typeof errors8,
    open: ({ url, username, password }, other = password) =>
      new Client9({
        node: url,
        auth: { username, password: other },
        Connection: Connection9,
        maxRetries: 0,
      }) as unknown as AnyClient,
  },
];

describe.each(ages)('the official JavaScript client for $version', ({ version, open, errors }) => {
  let search: ServedSearch;
  let client: AnyClient;

  beforeAll(async () => {
    search = await serveSearch(version);
    await fillSearch(search);
    client = open(search);
  }, 120_000);

  afterAll(async () => {
    await client?.close();
    await search?.close();
  });

  it('the JavaScript client pings the cluster and reads its version', async () => {
    expect(await client.ping()).toBe(true);
    expect((await client.info()).version.number).toBe(version);
  });

  it('the JavaScript client writes in bulk, also with its helper, and finds what it wrote', async () => {
    const plain = await client.bulk({
      refresh: true,
      operations: [
        { index: { _index: 'plain', _id: '1' } },
        { colour: 'red' },
        { delete: { _index: 'plain', _id: '9' } },
      ],
    });
    expect(plain.items.map((item) => Object.values(item)[0]?.status)).toEqual([201, 404]);
    const datasource = Array.from({ length: 250 }, (_, at) => ({ at, colour: at % 2 === 0 ? 'red' : 'blue' }));
    const done = await client.helpers.bulk({
      datasource,
      flushBytes: 2000,
      concurrency: 3,
      refreshOnCompletion: true,
      onDocument: ({ at }) => ({ index: { _index: 'many', _id: String(at) } }),
    });
    expect(done).toMatchObject({ total: 250, successful: 250, failed: 0 });

    expect((await client.count({ index: 'many' })).count).toBe(250);
    const found = await client.search<{ at: number }>({
      index: 'many',
      query: { term: { colour: 'red' } },
      size: 3,
      sort: [{ at: 'asc' }],
    });
    expect(found.hits.total).toEqual({ value: 125, relation: 'eq' });
    expect(found.hits.hits.map(({ _source }) => _source?.at)).toEqual([0, 2, 4]);
    expect((await client.get({ index: 'many', id: '7' }))._source).toEqual({ at: 7, colour: 'blue' });
  });

  it('the JavaScript client scrolls through several pages', async () => {
    const seen: unknown[] = [];
    for await (const page of client.helpers.scrollSearch({ index: 'many', size: 100 })) seen.push(...page.documents);

    expect(seen).toHaveLength(250);
  });

  it('the JavaScript client reads cat APIs as text and as rows', async () => {
    const rows = await client.cat.indices({ index: 'books', format: 'json' });
    expect(rows).toMatchObject([{ index: 'books', pri: '2', rep: '1', health: 'green' }]);
    expect(await client.cat.health()).toMatch(/ outside green 3 3 /);
    expect(await client.cat.nodes({ format: 'json', h: 'name' })).toHaveLength(3);
    expect(await client.cat.shards({ index: 'books', format: 'json' })).toHaveLength(4);
  });

  it('the JavaScript client takes snapshots and restores them', async () => {
    const made = await client.snapshot.create({
      repository: 'backups',
      snapshot: `by-js`,
      indices: 'books',
      include_global_state: false,
      wait_for_completion: true,
    });
    expect(made.snapshot?.state).toBe('SUCCESS');
    await client.snapshot.restore({
      repository: 'backups',
      snapshot: 'by-js',
      rename_pattern: '(.+)',
      rename_replacement: 'js-$1',
      wait_for_completion: true,
    });
    expect((await client.count({ index: 'js-books' })).count).toBe(5);
    const listed = await client.snapshot.get({ repository: 'backups', snapshot: '_all' });
    expect(listed.snapshots?.map(({ snapshot }) => snapshot).sort()).toEqual(['by-js', 'first']);
    expect(await client.snapshot.delete({ repository: 'backups', snapshot: 'by-js' })).toMatchObject({
      acknowledged: true,
    });
    expect(Object.keys((await client.snapshot.verifyRepository({ name: 'backups' })).nodes)).toHaveLength(3);
  });

  it('the JavaScript client manages users and roles', async () => {
    await client.security.putRole({ name: 'watcher', cluster: ['monitor'] });
    expect(await client.security.putUser({ username: 'rita', password: 'rita-password', roles: ['watcher'] })).toEqual({
      created: true,
    });
    await client.security.changePassword({ username: 'rita', password: 'other-password' });
    expect((await client.security.authenticate()).username).toBe('elastic');
  });

  it('the JavaScript client reads settings, health and reports', async () => {
    expect(await client.cluster.putSettings({ persistent: { 'cluster.max_shards_per_node': 900 } })).toMatchObject({
      acknowledged: true,
    });
    expect((await client.cluster.getSettings({ flat_settings: true })).persistent).toEqual({
      'cluster.max_shards_per_node': '900',
    });
    expect((await client.cluster.health({ wait_for_status: 'green', timeout: '30s' })).status).toBe('green');
    const report = await client.healthReport();
    expect(report.indicators.shards_availability?.status).toBe('green');
    expect((await client.nodes.info({ metric: 'http' }))._nodes?.successful).toBe(3);
    expect((await client.nodes.stats({ metric: 'jvm' }))._nodes?.successful).toBe(3);
    expect((await client.slm.getStatus()).operation_mode).toBe('RUNNING');
    expect((await client.shutdown.getNode()).nodes).toEqual([]);
  });

  it('the JavaScript client distinguishes its kinds of errors', async () => {
    const failure = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error: unknown) => error,
      );

    const missing = await failure(client.indices.get({ index: 'nowhere' }));
    expect(missing).toBeInstanceOf(errors.ResponseError);
    expect(missing).toMatchObject({ statusCode: 404, message: expect.stringContaining('index_not_found_exception') });
    const stranger = open(search, 'wrong-password');
    expect(await failure(stranger.cluster.health())).toMatchObject({
      statusCode: 401,
      message: expect.stringContaining('security_exception'),
    });
    await stranger.close();
    expect(await failure(client.cluster.health({ index: 'nowhere', timeout: '1s' }))).toMatchObject({
      statusCode: 408,
    });
    expect(await failure(client.create({ index: 'books', id: '1', document: {} }))).toMatchObject({ statusCode: 409 });
  });
});

describe('the official JavaScript client for 9 with a server of 8', () => {
  it('the JavaScript client for 9 can read from a server of 8 but not write: the server does not know its media types', async () => {
    const search = await serveSearch('8.19.21');
    const client = ages[1]!.open(search);

    expect((await client.cluster.health()).number_of_nodes).toBe(3);
    await expect(client.index({ index: 'x', document: { a: 1 } })).rejects.toThrow('media_type_header_exception');
    await client.close();
    await search.close();
  });
});

import { describe, expect, it } from 'vitest';
import { type Answer, TestCluster } from './search-support.ts';

const raw = (text: string) => ({ body: Buffer.from(text), headers: { 'content-type': 'application/json' } });

/** Expected responses are those of an 8.19.21 server. */
describe('a request that Elasticsearch does not know', () => {
  it('an unknown path gets 400 with a plain text as its error', async () => {
    const test = await TestCluster.formed(1);
    const answer = await test.get('/_nope/x/y');
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'no handler found for uri [/_nope/x/y] and method [GET]' });
  });

  it('an unknown path of one segment is taken for an index name', async () => {
    const test = await TestCluster.formed(1);
    const answer = await test.get('/_nope');
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      type: 'invalid_index_name_exception',
      reason: "Invalid index name [_nope], must not start with '_'.",
    });
  });

  it('a wrong method gets 405 with the allowed methods in the body and in Allow', async () => {
    const test = await TestCluster.formed(1);
    const answer = await test.ask('DELETE', '/_cluster/settings');
    expect(answer.status).toBe(405);
    expect(answer.headers.Allow).toBe('GET,PUT');
    expect(answer.body).toEqual({
      error: 'Incorrect HTTP method for uri [/_cluster/settings] and method [DELETE], allowed: [GET, PUT]',
      status: 405,
    });
    const options = await test.ask('OPTIONS', '/_cluster/settings');
    expect([options.status, options.headers.Allow]).toEqual([200, 'GET,PUT']);
  });

  it('unknown query parameters are named, with those that were probably meant', async () => {
    const test = await TestCluster.formed(1);
    const reason = async (target: string) => (await test.get(target)).body.error.reason;
    expect(await reason('/_cluster/health?foo=1')).toBe(
      'request [/_cluster/health] contains unrecognized parameter: [foo]',
    );
    expect(await reason('/_cluster/health?foo=1&bar=2')).toBe(
      'request [/_cluster/health] contains unrecognized parameters: [bar], [foo]',
    );
    expect(await reason('/_cluster/health?waitforstatus=green')).toBe(
      'request [/_cluster/health] contains unrecognized parameter: [waitforstatus] -> did you mean any of [wait_for_status, wait_for_nodes, wait_for_events]?',
    );
    expect(await reason('/_cluster/health?prety')).toBe(
      'request [/_cluster/health] contains unrecognized parameter: [prety] -> did you mean [pretty]?',
    );
  });
});

describe('a request with something that is not modelled', () => {
  it('a query parameter without effect is refused', async () => {
    const test = await TestCluster.formed(1);
    await test.put('/books/_doc/1?refresh=true', { title: 'One' });
    for (const target of ['/books/_search?q=title:One', '/books/_doc/1?realtime=false', '/_cat/indices?pri=true']) {
      const { status, body } = await test.get(target);
      expect([target, status]).toEqual([target, 400]);
      expect(body.error.reason).toContain('not modelled by the embedded cluster: the parameter [');
    }
    const conditional = await test.put('/books/_doc/1?if_seq_no=7&if_primary_term=1', { title: 'Two' });
    expect(conditional.status).toBe(400);
  });

  it('a search option that is not modelled is refused', async () => {
    const test = await TestCluster.formed(1);
    await test.put('/books/_doc/1?refresh=true', { pages: 1 });
    const options = {
      search_after: [1],
      post_filter: { term: { pages: 2 } },
      min_score: 2,
      collapse: { field: 'pages' },
      terminate_after: 1,
      fields: ['pages'],
      docvalue_fields: ['pages'],
      stored_fields: ['pages'],
      highlight: { fields: {} },
      explain: true,
      profile: true,
      aggs: {},
      suggest: {},
      rescore: {},
      pit: { id: 'x' },
      runtime_mappings: {},
      indices_boost: [],
      script_fields: {},
    };
    for (const [name, value] of Object.entries(options)) {
      const { status, body } = await test.post('/books/_search', { [name]: value });
      expect([status, body.error?.reason]).toEqual([
        400,
        `not modelled by the embedded cluster: [${name}] of a search`,
      ]);
    }
    for (const sort of [{ mode: 'min' }, { missing: '_first' }, { nested: {} }, { format: 'date' }])
      expect((await test.post('/books/_search', { sort: [{ pages: sort }] })).status).toBe(400);
  });

  it('an API that is not modelled is refused and changes nothing', async () => {
    const test = await TestCluster.formed(1);
    await test.put('/books/_doc/1?refresh=true', { pages: 1 });
    const requests: readonly (readonly [string, string, unknown?])[] = [
      ['POST', '/_ilm/move/books', {}],
      ['POST', '/books/_ilm/retry'],
      ['PUT', '/books/_shrink/small'],
      ['PUT', '/books/_split/large'],
      ['PUT', '/books/_clone/twin'],
      ['POST', '/_reindex', { source: { index: 'books', query: {} }, dest: { index: 'other' } }],
      ['POST', '/_reindex', { source: { index: 'books' }, dest: { index: 'other' }, script: {} }],
      ['POST', '/_reindex?wait_for_completion=false', { source: { index: 'books' }, dest: { index: 'other' } }],
      ['POST', '/_reindex?slices=2', { source: { index: 'books' }, dest: { index: 'other' } }],
      ['POST', '/books/_search?scroll=1m', { slice: { id: 0, max: 2 } }],
      ['POST', '/books/_update_by_query'],
      ['POST', '/books/_delete_by_query', { query: { match_all: {} } }],
      ['POST', '/books/_update/1', { doc: { pages: 2 } }],
      ['POST', '/books/_pit?keep_alive=1m'],
      ['GET', '/books/_field_caps?fields=*'],
      ['GET', '/_xpack'],
      ['GET', '/_xpack/usage'],
      ['PUT', '/_ingest/pipeline/p', { processors: [] }],
      ['PUT', '/_data_stream/logs'],
      ['PUT', '/_security/role_mapping/m', { roles: ['x'], rules: {} }],
      ['GET', '/_security/privilege'],
      ['POST', '/_security/_query/api_key', { query: { match_all: {} } }],
      ['POST', '/_index_template/_simulate', { index_patterns: ['b*'] }],
      ['POST', '/_index_template/_simulate/books'],
      ['POST', '/_aliases', { actions: [] }],
      ['POST', '/books/_forcemerge'],
      ['PUT', '/books/_mapping', { properties: {} }],
      ['GET', '/books?features=aliases'],
    ];
    const state = () => test.get('/_cluster/state/metadata?filter_path=metadata.indices,metadata.templates');
    const before = (await state()).body;
    for (const [method, path, body] of requests) {
      const { status, headers } = await test.ask(method, path, { body });
      expect([path, status, headers['x-drover-not-modelled']]).toEqual([path, 400, '1']);
    }
    expect((await state()).body).toEqual(before);
    expect((await test.get('/_index_template')).body).toEqual({ index_templates: [] });
    expect((await test.get('/books/_doc/1')).body._source).toEqual({ pages: 1 });
  });

  it("no index is managed by a policy, and the exporter's request says so", async () => {
    const test = await TestCluster.formed(1);
    await test.put('/books/_doc/1?refresh=true', { pages: 1 });
    expect((await test.get('/_all/_ilm/explain')).body).toEqual({
      indices: { books: { index: 'books', managed: false } },
    });
    expect((await test.get('/_all/_ilm/explain?only_managed=true')).body).toEqual({ indices: {} });
  });

  it('a node reports devices, cgroups, modules and arguments of its virtual machine', async () => {
    const test = await TestCluster.formed(1);
    const [stats] = Object.values((await test.get('/_nodes/stats')).body.nodes) as [Record<string, Answer['body']>];
    expect(stats.fs.io_stats.devices[0].device_name).toBe('nvme0n1p1');
    expect(stats.os.cgroup.cpu.cfs_quota_micros).toBe(-1);
    const [info] = Object.values((await test.get('/_nodes')).body.nodes) as [Record<string, Answer['body']>];
    expect(info.modules.map(({ name }: { name: string }) => name)).toContain('x-pack-security');
    expect(info.jvm.input_arguments).toContain(`-Xmx${4096}m`);
  });

  it('a condition in a line of a bulk request is refused', async () => {
    const test = await TestCluster.formed(1);
    const lines = '{"index":{"_index":"books","_id":"1","if_seq_no":7,"if_primary_term":1}}\n{"title":"One"}\n';
    const { status, body } = await test.ask('POST', '/_bulk', raw(lines));
    expect([status, body.error.reason]).toEqual([
      400,
      'Action/metadata line [1] contains an unknown parameter [if_seq_no]',
    ]);
  });

  it('a request to run as another user is refused', async () => {
    const test = await TestCluster.formed(1, { security: { bootstrapPassword: 'changeme' } });
    const authorization = `Basic ${Buffer.from('elastic:changeme').toString('base64')}`;
    const { status, body } = await test.get('/_security/_authenticate', {
      headers: { authorization, 'es-security-runas-user': 'kibana_system' },
    });
    expect([status, body.error.reason]).toEqual([
      400,
      'not modelled by the embedded cluster: the header [es-security-runas-user]',
    ]);
  });
});

describe('a body that cannot be read', () => {
  it.each([
    ['{', 'x_content_e_o_f_exception', '[1:2] Unexpected end of file'],
    ['{"transient":', 'x_content_e_o_f_exception', '[1:14] Unexpected end of file'],
    ['{"transient":"a', 'x_content_e_o_f_exception', '[1:16] Unexpected end of file'],
    ['{\n"a":1,}', 'x_content_parse_exception', expect.stringMatching(/^\[2:7\] /)],
  ])('the unreadable body %s gets the place of its fault', async (text, type, reason) => {
    const test = await TestCluster.formed(1);
    const { status, body } = await test.ask('PUT', '/_cluster/settings', raw(text));
    expect([status, body.error.type, body.error.reason]).toEqual([400, type, reason]);
  });

  it('every kind of unreadable body gets 400', async () => {
    const test = await TestCluster.formed(1);
    for (const text of ['{"a" 1}', '{"a":1,}', '[1,]', '{"a":"x', '{a:1}', '[1 2]', '{"a":01}', '{"a":1}x', '{} {}']) {
      const { status, body } = await test.ask('PUT', '/books/_doc/1', raw(text));
      expect([text, status]).toEqual([text, 400]);
      expect(body.error.type).toMatch(/exception$/);
    }
  });

  it('a body with an unknown or missing content type gets 406', async () => {
    const test = await TestCluster.formed(1);
    const body = Buffer.from('{}');
    const missing = await test.ask('PUT', '/_cluster/settings', { body });
    expect([missing.status, missing.body.error]).toEqual([406, 'Content-Type header [] is not supported']);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const other = await test.ask('PUT', '/_cluster/settings', { body, headers: form });
    expect(other.body).toEqual({
      error: 'Content-Type header [application/x-www-form-urlencoded] is not supported',
      status: 406,
    });
  });

  it('an empty body gets 400 where one is required', async () => {
    const test = await TestCluster.formed(1);
    const { status, body } = await test.put('/books/_doc/1');
    expect([status, body.error.type, body.error.reason]).toEqual([400, 'parse_exception', 'request body is required']);
  });
});

it('search refuses to sort by a text field, and sorts by its keyword', async () => {
  const test = await TestCluster.formed(1);
  await test.put('/books/_doc/1?refresh=true', { title: 'One' });
  const refused = await test.post('/books/_search', { sort: ['title'] });
  expect([refused.status, refused.body.error.reason]).toEqual([400, 'all shards failed']);
  expect(refused.body.error.root_cause[0].reason).toMatch(/^Fielddata is disabled on \[title\] in \[books\]\./);
  expect((await test.post('/books/_search', { sort: ['title.keyword'] })).status).toBe(200);
});

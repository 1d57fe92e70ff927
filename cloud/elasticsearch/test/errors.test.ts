import { describe, expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

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
      expect(body.error.reason).toContain('contains unrecognized parameter');
    }
    const conditional = await test.put('/books/_doc/1?if_seq_no=7&if_primary_term=1', { title: 'Two' });
    expect(conditional.status).toBe(400);
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
    expect([status, body.error.reason]).toEqual([400, 'the header [es-security-runas-user] is not modelled']);
  });
});

describe('a body that cannot be read', () => {
  const texts: readonly (readonly [string, string, string, string])[] = [
    [
      '{',
      'x_content_e_o_f_exception',
      '[1:2] Unexpected end of file',
      'Unexpected end-of-input: expected close marker for Object (start marker at [Source: (byte[])"{"; line: 1, column: 1])\n at [Source: (byte[])"{"; line: 1, column: 2]',
    ],
    [
      '{"transient":',
      'x_content_e_o_f_exception',
      '[1:14] Unexpected end of file',
      'Unexpected end-of-input within/between Object entries\n at [Source: (byte[])"{"transient":"; line: 1, column: 14]',
    ],
    [
      'nope',
      'x_content_parse_exception',
      `[1:5] Unrecognized token 'nope': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')\n at [Source: (byte[])"nope"; line: 1, column: 5]`,
      `Unrecognized token 'nope': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')\n at [Source: (byte[])"nope"; line: 1, column: 5]`,
    ],
  ];

  for (const [text, type, reason, cause] of texts)
    it(`an unreadable body gets the place of its fault: ${text}`, async () => {
      const test = await TestCluster.formed(1);
      const { status, body } = await test.ask('PUT', '/_cluster/settings', raw(text));
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ type, reason, caused_by: { reason: cause } });
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

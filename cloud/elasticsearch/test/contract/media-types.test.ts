import { expect } from 'vitest';
import { contract } from './contract.ts';

const vendor = (format: string, major: number) => `application/vnd.elasticsearch+${format};compatible-with=${major}`;

const accepted = [
  'application/json',
  'application/yaml',
  'application/cbor',
  'application/smile',
  '*/*',
  'text/plain',
  'text/html',
  'application/xml',
  vendor('json', 8),
  vendor('json', 7),
  vendor('yaml', 8),
  vendor('cbor', 8),
  vendor('smile', 8),
  'application/vnd.elasticsearch+json; compatible-with=8',
  'application/vnd.elasticsearch+json; compatible-with=8,text/plain',
  'application/vnd.elasticsearch+json',
  'application/json; charset=utf-8',
  'application/json, text/plain, */*',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'APPLICATION/JSON',
];

contract('a response has the media type of the Accept header', async (target) => {
  for (const accept of accepted) {
    const { status, headers } = await target.get('/_cluster/health', { headers: { accept } });
    target.compare(accept, { status, headers: { 'content-type': headers['content-type']! } });
  }
});

contract('unknown media types in Accept and other major versions are refused', async (target) => {
  for (const accept of [vendor('json', 9), vendor('json', 6), 'garbage', 'application/json;foo'])
    await target.see(accept, 'GET', '/_cluster/health', { headers: { accept } }, { varying: ['number_of_nodes'] });
});

const sent = [
  'application/json',
  'application/json; charset=UTF-8',
  'application/JSON',
  vendor('json', 8),
  vendor('json', 7),
  vendor('json', 9),
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
  'garbage',
];

contract('request bodies are read in known media types only', async (target) => {
  for (const type of sent)
    await target.see(type, 'PUT', '/_cluster/settings', { body: '{}', headers: { 'content-type': type } });
  await target.see('no type', 'PUT', '/_cluster/settings', { body: '{}', headers: { 'content-type': '' } });
});

contract('Accept and Content-Type must name the same compatible version', async (target) => {
  const both: readonly [string, string][] = [
    [vendor('json', 8), vendor('json', 8)],
    [vendor('json', 8), vendor('json', 7)],
    [vendor('json', 7), 'application/json'],
    [vendor('json', 8), 'application/json'],
    ['application/json', vendor('json', 8)],
    [vendor('json', 9), vendor('json', 9)],
    [vendor('yaml', 8), vendor('json', 8)],
  ];
  for (const [accept, type] of both)
    await target.see(`${accept} and ${type}`, 'PUT', '/_cluster/settings', {
      body: '{}',
      headers: { accept, 'content-type': type },
    });
});

contract(
  'every response but a 401 carries X-elastic-product',
  async (target) => {
    const product = async (...ask: Parameters<typeof target.ask>) =>
      (await target.ask(...ask)).headers['x-elastic-product'];

    expect(await product('GET', '/_cluster/health')).toBe('Elasticsearch');
    expect(await product('GET', '/_cat/health')).toBe('Elasticsearch');
    expect(await product('GET', '/contract-missing')).toBe('Elasticsearch');
    expect(await product('GET', '/_nope/x/y')).toBe('Elasticsearch');
    expect(await product('OPTIONS', '/_cluster/health')).toBe('Elasticsearch');
    expect(await product('GET', '/_cluster/health', { as: 'nobody' })).toBeUndefined();
  },
  { needs: ['security'] },
);

contract('X-Opaque-Id of a request is returned in its response', async (target) => {
  const { headers } = await target.get('/_cluster/health', { headers: { 'x-opaque-id': 'contract-7' } });

  expect(headers['x-opaque-id']).toBe('contract-7');
});

contract(
  'GET / returns name, version and tagline',
  async (target) => {
    const { body } = await target.get('/');

    expect(Object.keys(body)).toEqual(['name', 'cluster_name', 'cluster_uuid', 'version', 'tagline']);
    expect(body).toMatchObject({ cluster_name: target.clusterName, tagline: 'You Know, for Search' });
    expect(body.version).toEqual({
      number: target.version,
      build_flavor: 'default',
      build_type: expect.any(String),
      build_hash: expect.stringMatching(/^[0-9a-f]{40}$/),
      build_date: expect.any(String),
      build_snapshot: false,
      lucene_version: expect.any(String),
      minimum_wire_compatibility_version: expect.any(String),
      minimum_index_compatibility_version: expect.any(String),
    });
    expect((await target.ask('HEAD', '/')).status).toBe(200);
  },
  { needs: ['GET /'] },
);

import { contract } from './contract.ts';

const stateless: readonly [string, string][] = [
  ['GET', '/_nope/x/y'],
  ['GET', '/_nope'],
  ['POST', '/_nope'],
  ['GET', '//_cluster/health'],
  ['GET', '/%ZZ'],
  ['GET', '/_cluster/health?foo=1'],
  ['GET', '/_cluster/health?foo=1&bar=2'],
  ['GET', '/_cluster/health?waitforstatus=green'],
  ['GET', '/_cat/nodes?foo=1'],
  ['POST', '/_cluster/health'],
  ['DELETE', '/_cluster/health'],
  ['PATCH', '/_cluster/health'],
  ['POST', '/_cat/nodes'],
  ['PUT', '/_nodes'],
  ['DELETE', '/_cluster/settings'],
  ['GET', '/_cluster/reroute'],
  ['HEAD', '/_cluster/reroute'],
  ['GET', '/_cluster/health?timeout=5'],
  ['GET', '/_cluster/health?timeout=abc'],
  ['GET', '/_cluster/health?wait_for_status=blue'],
  ['GET', '/_cluster/health?wait_for_nodes=abc'],
  ['GET', '/_cluster/health?level=foo'],
  ['GET', '/_cluster/health?local=foo'],
  ['GET', '/_cluster/health?human=maybe'],
  ['GET', '/_cluster/health?pretty=maybe'],
  ['GET', '/_nodes/stats/nope'],
  ['GET', '/_nodes/stats/indices?level=foo'],
  ['GET', '/contract-missing'],
  ['HEAD', '/contract-missing'],
  ['GET', '/contract-missing?filter_path=status'],
  ['GET', '/contract-missing/_doc/1'],
  ['GET', '/contract-missing/_count'],
  ['GET', '/contract-missing/_search'],
  ['GET', '/contract-missing/_settings'],
  ['GET', '/contract-missing/_stats'],
  ['DELETE', '/contract-missing'],
  ['GET', '/_cat/indices/contract-missing'],
  ['GET', '/_cat/shards/contract-missing'],
  ['GET', '/_snapshot/contract-missing'],
  ['GET', '/_snapshot/contract-missing/one'],
  ['DELETE', '/_snapshot/contract-missing'],
  ['POST', '/_snapshot/contract-missing/_verify'],
  ['PUT', '/_snapshot/contract-missing/one'],
  ['PUT', '/Contract-Upper'],
  ['PUT', '/_contract-underscore'],
  ['PUT', '/contract%20space'],
  ['GET', '/_cluster/allocation/explain?index=x'],
  ['DELETE', '/_cluster/voting_config_exclusions?foo=1'],
  ['POST', '/_cluster/voting_config_exclusions'],
];

contract('requests that cannot be served get the recorded error texts', async (target) => {
  for (const [method, path] of stateless) await target.see(`${method} ${path}`, method, path);
});

contract('errors come in the requested format', async (target) => {
  await target.see('pretty', 'GET', '/_cluster/health?level=foo&pretty', {}, { as: 'text' });
  await target.see('YAML', 'GET', '/_cluster/health?level=foo&format=yaml', {}, { as: 'text' });
  await target.see('compact', 'GET', '/_cluster/health?level=foo', {}, { as: 'text' });
});

const bodies: readonly [string, string, unknown][] = [
  ['PUT', '/_cluster/settings', '{"persistent":'],
  ['PUT', '/_cluster/settings', ''],
  ['PUT', '/_cluster/settings', '[]'],
  ['PUT', '/_cluster/settings', {}],
  ['PUT', '/_cluster/settings', { nope: {} }],
  ['PUT', '/contract-bad', { nope: {} }],
  ['PUT', '/contract-bad', { settings: { 'index.nope': 1 } }],
  ['PUT', '/contract-bad', { settings: { number_of_shards: 0 } }],
  ['PUT', '/contract-bad', { settings: { number_of_shards: 'many' } }],
  ['PUT', '/contract-bad', { settings: { number_of_replicas: -1 } }],
  ['PUT', '/contract-bad', { mappings: { properties: { a: { type: 'nope' } } } }],
  ['POST', '/_bulk', ''],
  ['POST', '/_bulk', '{"nope":{}}\n{}\n'],
  ['POST', '/_bulk', '{"index":{}}\n{}'],
  ['POST', '/_cluster/reroute?metric=none', { commands: [{ nope: {} }] }],
  ['POST', '/_search', { nope: 1 }],
  ['POST', '/_search', { query: { nope: {} } }],
];

contract('request bodies that cannot be used get the recorded error texts', async (target) => {
  for (const [method, path, body] of bodies) {
    const step = `${method} ${path} ${typeof body === 'string' ? body : JSON.stringify(body)}`;
    await target.see(step, method, path, { body, headers: { 'content-type': 'application/json' } });
  }
});

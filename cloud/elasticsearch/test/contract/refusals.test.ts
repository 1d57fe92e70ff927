import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

/** A request by its method, its path and its body. */
type Request = readonly [method: string, path: string, body?: unknown];

async function seeAll(target: ContractTarget, requests: readonly Request[]): Promise<void> {
  for (const [method, path, body] of requests) {
    const said = body === undefined ? '' : ` ${typeof body === 'string' ? body : JSON.stringify(body)}`;
    await target.see(`${method} ${path}${said}`, method, path, { body });
  }
}

contract('a GET with a body is refused where the API takes none', async (target) => {
  await target.index('contract-body', { number_of_shards: 1, number_of_replicas: 0 });
  await target.must('PUT', '/contract-body/_doc/1', { body: { a: 1 } });
  await seeAll(target, [
    ['GET', '/_cluster/health', { a: 1 }],
    ['GET', '/_cluster/settings', {}],
    ['GET', '/_cluster/state', { a: 1 }],
    ['GET', '/_cat/nodes', { a: 1 }],
    ['GET', '/_nodes/stats', { a: 1 }],
    ['GET', '/contract-body', { a: 1 }],
    ['HEAD', '/contract-body', { a: 1 }],
    ['GET', '/contract-body/_doc/1', { a: 1 }],
    ['GET', '/contract-body/_mapping', { a: 1 }],
    ['GET', '/contract-body/_refresh', { a: 1 }],
    ['POST', '/contract-body/_refresh', { a: 1 }],
    ['POST', '/contract-body/_flush', { a: 1 }],
    ['DELETE', '/contract-body/_doc/1', { a: 1 }],
    ['GET', '/_snapshot', { a: 1 }],
    ['GET', '/_tasks', { a: 1 }],
    ['POST', '/contract-body/_close', { a: 1 }],
    ['GET', '/_nope', { a: 1 }],
    ['GET', '/_cluster/health?foo=1', { a: 1 }],
    ['POST', '/_cluster/voting_config_exclusions?node_names=x', { a: 1 }],
    ['GET', '/_security/_authenticate', { a: 1 }],
    ['DELETE', '/contract-body', { a: 1 }],
  ]);
});

contract('wildcards do not close or delete indices', async (target) => {
  await target.index('contract-wild-1', { number_of_shards: 1, number_of_replicas: 0 });
  await seeAll(target, [
    ['POST', '/_all/_close'],
    ['POST', '/*/_close'],
    ['POST', '/contract-wild-*/_close'],
    ['POST', '/_close'],
    ['POST', '/*,-*/_close'],
    ['DELETE', '/_all'],
    ['DELETE', '/*'],
    ['DELETE', '/contract-wild-*'],
    ['DELETE', '/*,-*'],
    ['GET', '/_cluster/state/metadata/contract-wild-1?filter_path=metadata.indices.*.state'],
  ]);
});

contract('what 8.0 removed is refused', async (target) => {
  await target.index('contract-removed', { number_of_shards: 1, number_of_replicas: 0 });
  await seeAll(target, [
    ['PUT', '/contract-removed-2?include_type_name=true'],
    ['GET', '/contract-removed?include_type_name=false'],
    ['GET', '/contract-removed/_mapping?include_type_name=true'],
    ['GET', '/contract-removed/_mapping/_doc'],
    ['POST', '/_bulk', '{"index":{"_index":"contract-removed","_type":"_doc","_id":"1"}}\n{"a":1}\n'],
    ['POST', '/contract-removed/_bulk', '{"delete":{"_type":"_doc","_id":"1"}}\n'],
    ['PUT', '/contract-removed/sometype/1', { a: 1 }],
    ['POST', '/contract-removed/sometype', { a: 1 }],
    ['PUT', '/contract-removed-2', { settings: { 'index.soft_deletes.enabled': false } }],
    ['PUT', '/contract-removed-2', { mappings: { sometype: { properties: {} } } }],
    ['PUT', '/contract-removed-2', { mappings: { _doc: { properties: {} } } }],
    ['GET', '/contract-removed/_search?include_type_name=true'],
  ]);
});

contract('paths that the server reads otherwise than they look', async (target) => {
  await target.index('contract-path-1', { number_of_shards: 1, number_of_replicas: 0 });
  await target.index('contract-path-2', { number_of_shards: 1, number_of_replicas: 0 });
  await seeAll(target, [
    ['POST', '/_alias/contract-path-all'],
    ['PUT', '/_alias/contract-path-all'],
    ['PUT', '/contract-path-1/_alias/contract-*-alias'],
    ['PUT', '/contract-path-1/_alias/contract%20alias'],
    ['PUT', '/contract-path-1/_alias/_contract'],
    ['PUT', '/contract-path-1/_alias/Contract-Alias'],
    ['PUT', '/contract-path-1/_alias'],
    ['PUT', '/contract-path-1/_alias/contract-path-2'],
    ['PUT', '/contract-path-1/_aliases/contract-path-plural'],
    ['PUT', '/contract-none/_alias/contract-path-alias'],
    ['PUT', '/_index_template/contract-path', { index_patterns: [] }],
    ['PUT', '/_index_template/contract-path', {}],
    ['PUT', '/_index_template/contract-path', { index_patterns: ['contract-path-no*'], nope: 1 }],
    ['PUT', '/_index_template/Contract%20Path', { index_patterns: ['contract-path-no*'] }],
    ['PUT', '/_index_template/_contract', { index_patterns: ['contract-path-no*'] }],
    ['PUT', '/_template/_contract', { index_patterns: ['contract-path-no*'] }],
    ['PUT', '/_template/contract-path', { index_patterns: [] }],
    ['POST', '/_bulk', '{"delete":{"_index":"contract-path-1"}}\n'],
    ['POST', '/_bulk', '{"index":{"_index":"contract-path-1","_id":"1"}}\n'],
    ['POST', '/_bulk?require_alias=true', '{"index":{"_index":"contract-path-3","_id":"1"}}\n{"a":1}\n'],
    ['PUT', '/contract-path-3/_doc/1?require_alias=true', { a: 1 }],
    ['GET', '/_cat/aliases/contract-*?h=alias'],
    ['GET', '/_alias/contract-*'],
  ]);
});

contract('an alias has one write index', async (target) => {
  target.cleanup(() => target.delete('/contract-writer-1,contract-writer-2?ignore_unavailable=true'));
  const aliases = { 'contract-writer': { is_write_index: true } };
  const body = { settings: { number_of_replicas: 0 }, aliases };
  await target.must('PUT', '/contract-writer-1', { body });
  // The order of the names is that of a set.
  const see = (step: string, { status, body: said }: { status: number; body: { error: { type: string } } }) =>
    target.compare(step, { status, headers: {}, body: said.error.type });
  see('a second index', await target.put('/contract-writer-2', body));
  await target.must('PUT', '/contract-writer-2', { body: { settings: body.settings } });
  see('a second alias', await target.put('/contract-writer-2/_alias/contract-writer', { is_write_index: true }));
});

contract('cluster.max_shards_per_node limits new indices', async (target) => {
  await target.index('contract-limit', { number_of_shards: 1, number_of_replicas: 0 });
  await target.settings({ 'cluster.max_shards_per_node': 1 });
  // The master says validation_exception, of which other nodes get an illegal_argument_exception: any of them may be asked.
  const limit = (text: string) =>
    text
      .replace(/currently has \[\d+\]/g, 'currently has [n]')
      .replaceAll('validation_exception', 'illegal_argument_exception');
  const { status, body } = await target.put('/contract-limit-2', { settings: { number_of_shards: 9 } });
  target.compare('create', { status, headers: {}, body: limit(JSON.stringify(body)) });
  const more = await target.put('/contract-limit/_settings', { number_of_replicas: 3, 'index.priority': 1 });
  target.compare('add replicas', { status: more.status, headers: {}, body: limit(JSON.stringify(more.body)) });
});

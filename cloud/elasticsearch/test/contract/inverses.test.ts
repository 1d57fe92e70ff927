import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

type Request = readonly [method: string, path: string, body?: unknown];

async function seeAll(target: ContractTarget, requests: readonly Request[]): Promise<void> {
  for (const [method, path, body] of requests)
    await target.see(`${method} ${path}`, method, path, { body }, { varying: ['uuid', 'index_uuid'] });
}

const one = { number_of_shards: 1, number_of_replicas: 0 };

contract('templates can be deleted again', async (target) => {
  await target.must('PUT', '/_index_template/contract-new', { body: { index_patterns: ['contract-no-*'] } });
  await target.must('PUT', '/_template/contract-old', { body: { index_patterns: ['contract-no-*'] } });
  await seeAll(target, [
    ['DELETE', '/_index_template/contract-none'],
    ['DELETE', '/_index_template/contract-none*'],
    ['DELETE', '/_index_template/contract-new'],
    ['GET', '/_index_template/contract-new'],
    ['DELETE', '/_template/contract-none'],
    ['DELETE', '/_template/contract-none*'],
    ['DELETE', '/_template/contract-old'],
  ]);
});

contract('an alias can be taken from its indices again', async (target) => {
  await target.index('contract-alias-1', one);
  await target.index('contract-alias-2', one);
  await target.must('PUT', '/contract-alias-*/_alias/contract-both');
  await seeAll(target, [
    ['DELETE', '/contract-alias-1/_alias/contract-none'],
    ['DELETE', '/contract-none/_alias/contract-both'],
    ['DELETE', '/contract-alias-1/_alias/contract-both'],
    ['GET', '/_alias/contract-both'],
    ['DELETE', '/_all/_alias/contract-both'],
    ['GET', '/_alias/contract-both'],
  ]);
});

contract('a closed index can be opened again, with its documents', async (target) => {
  await target.index('contract-shut', one);
  await target.must('PUT', '/contract-shut/_doc/1?refresh=true', { body: { a: 1 } });
  await target.must('POST', '/contract-shut/_close');
  await seeAll(target, [
    ['GET', '/_cat/shards/contract-shut?format=json&h=state,docs'],
    ['POST', '/contract-none/_open'],
    ['POST', '/contract-shut/_open'],
    ['GET', '/contract-shut/_count'],
    ['GET', '/contract-shut/_settings/index.verified_before_close'],
    ['GET', '/_cluster/state/metadata/contract-shut?filter_path=metadata.indices.*.state'],
    ['PUT', '/contract-shut/_doc/2?filter_path=result', { a: 2 }],
    ['POST', '/contract-shut/_open'],
  ]);
});

contract('a lifecycle policy can be deleted again unless an index uses it', async (target) => {
  const policy = { phases: { delete: { min_age: '30d', actions: { delete: {} } } } };
  target.cleanup(() => target.delete('/_ilm/policy/contract-policy'));
  target.cleanup(() => target.delete('/contract-managed?ignore_unavailable=true'));
  await target.must('PUT', '/_ilm/policy/contract-policy', { body: { policy } });
  await target.index('contract-managed', { ...one, 'index.lifecycle.name': 'contract-policy' });
  await seeAll(target, [
    ['DELETE', '/_ilm/policy/contract-none'],
    ['DELETE', '/_ilm/policy/contract-policy'],
    ['DELETE', '/contract-managed'],
    ['DELETE', '/_ilm/policy/contract-policy'],
    ['GET', '/_ilm/policy/contract-policy'],
  ]);
});

contract(
  'a token of a service account can be deleted again',
  async (target) => {
    const token = '/_security/service/elastic/kibana/credential/token/contract-token';
    await target.must('POST', token);
    await seeAll(target, [
      ['DELETE', token],
      ['DELETE', token],
    ]);
  },
  { needs: ['security', 'native users'] },
);

contract('an alias in the body of a new index must not have the name of an index', async (target) => {
  await target.index('contract-taken', one);
  target.cleanup(() => target.delete('/contract-shadow?ignore_unavailable=true'));
  await seeAll(target, [
    ['PUT', '/contract-shadow', { settings: one, aliases: { 'contract-taken': {} } }],
    ['PUT', '/contract-shadow', { settings: one, aliases: { 'contract-shadow': {} } }],
    ['HEAD', '/contract-shadow'],
  ]);
});

contract('details of refused and unusual requests', async (target) => {
  await target.index('contract-detail', one);
  const move = { index: 'contract-detail', shard: 9, from_node: target.nodes[0]!.name, to_node: target.nodes[1]!.name };
  const lost = Buffer.from('{"a":');
  const headers = { 'content-type': 'application/json' };
  await target.see('truncated document', 'PUT', '/contract-detail/_doc/1', { body: lost, headers });
  await seeAll(target, [
    ['PUT', '/contract-detail/_doc/1?wait_for_active_shards=3&timeout=1s', { a: 1 }],
    ['POST', '/_cluster/reroute?metric=none', { commands: [{ move }] }],
    ['POST', '/_search/scroll', { scroll: '1m', scroll_id: 'nope' }],
    ['DELETE', '/_search/scroll', { scroll_id: ['nope'] }],
    [
      'PUT',
      '/_template/contract-detail',
      { index_patterns: ['contract-no-*'], mappings: { _doc: { properties: {} } } },
    ],
    [
      'GET',
      '/contract-detail/_stats/segments,translog?filter_path=_all.total.segments.count,_all.total.translog.operations',
    ],
    ['POST', '/contract-detail/_close'],
    ['GET', '/contract-detail/_stats/translog?forbid_closed_indices=false&filter_path=_all.total.translog.operations'],
  ]);
});

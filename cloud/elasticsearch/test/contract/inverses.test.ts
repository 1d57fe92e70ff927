import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

type Request = readonly [method: string, path: string, body?: unknown];

async function seeAll(target: ContractTarget, requests: readonly Request[]): Promise<void> {
  for (const [method, path, body] of requests)
    await target.see(`${method} ${path}`, method, path, { body }, { varying: ['uuid', 'index_uuid'] });
}

const one = { number_of_shards: 1, number_of_replicas: 0 };

contract('templates can be deleted again', async (target) => {
  for (const [kind, pattern] of [
    ['_index_template', 'contract-new-*'],
    ['_template', 'contract-old-*'],
  ] as const) {
    const path = `/${kind}/contract-inverse`;
    await target.must('PUT', path, { body: { index_patterns: [pattern] } });
    await target.must('DELETE', path);
    expect((await target.delete(path)).body.error).toMatchObject({
      type: 'index_template_missing_exception',
      reason: 'index_template [contract-inverse] missing',
    });
  }
});

contract('an alias can be taken from its indices again', async (target) => {
  await target.index('contract-alias-1', one);
  await target.index('contract-alias-2', one);
  await target.must('PUT', '/contract-alias-*/_alias/contract-both');
  await seeAll(target, [
    ['DELETE', '/contract-alias-1/_alias/contract-none'],
    ['DELETE', '/contract-none/_alias/contract-both'],
    ['DELETE', '/contract-alias-1/_alias/contract-both'],
  ]);
  expect(Object.keys((await target.get('/_alias/contract-both')).body)).toEqual(['contract-alias-2']);
  await seeAll(target, [
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
  ]);
});

contract(
  'a token of a service account can be deleted again',
  async (target) => {
    const token = '/_security/service/elastic/kibana/credential/token/contract-token';
    await target.must('POST', token);
    const listed = (await target.get('/_security/service/elastic/kibana/credential')).body as { tokens: object };
    expect(listed).toMatchObject({ service_account: 'elastic/kibana', tokens: { 'contract-token': {} } });
    expect((await target.delete(token)).body).toEqual({ found: true });
    await seeAll(target, [['DELETE', token]]);
  },
  { needs: ['security', 'native users'] },
);

contract('an alias in the body of a new index must not have the name of an index', async (target) => {
  await target.index('contract-taken', one);
  target.cleanup(() => target.delete('/contract-shadow?ignore_unavailable=true'));
  const { body } = await target.put('/contract-shadow', { settings: one, aliases: { 'contract-taken': {} } });
  expect(body.error).toMatchObject({
    type: 'invalid_alias_name_exception',
    reason: 'Invalid alias name [contract-taken]: an index or data stream exists with the same name as the alias',
  });
  await seeAll(target, [
    ['PUT', '/contract-shadow', { settings: one, aliases: { 'contract-shadow': {} } }],
    ['HEAD', '/contract-shadow'],
  ]);
});

contract('details of refused and unusual requests', async (target) => {
  await target.index('contract-detail', one);
  const missing = { index: 'contract-detail', shard: 9, node: target.nodes[0]!.name };
  const lost = Buffer.from('{"a":');
  const headers = { 'content-type': 'application/json' };
  const truncated = await target.put('/contract-detail/_doc/1', lost, { headers });
  // The causes depend on the node that the document is sent to.
  expect([truncated.status, truncated.body.error.root_cause]).toEqual([
    400,
    [
      {
        type: 'document_parsing_exception',
        reason: expect.stringMatching(/^\[\S+\] failed to parse: \[\S+\] Unexpected/),
      },
    ],
  ]);
  await seeAll(target, [
    ['PUT', '/contract-detail/_doc/1?wait_for_active_shards=3&timeout=1s', { a: 1 }],
    ['POST', '/_cluster/reroute?metric=none', { commands: [{ allocate_replica: missing }] }],
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
  for (const method of ['POST', 'DELETE']) {
    const { body } = await target.ask(method, '/_search/scroll', { body: { scroll_id: 'nope' } });
    expect(JSON.stringify(body.error)).toContain('Cannot parse scroll id');
  }
});

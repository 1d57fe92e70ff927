import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

const three = { number_of_shards: 3, number_of_replicas: 0 };
const ids = Array.from({ length: 30 }, (_, at) => String(at));

async function write(target: ContractTarget, index: string, some: readonly string[], by: string): Promise<void> {
  const lines = some.flatMap((_id) => [{ index: { _id } }, { by }]).map((line) => JSON.stringify(line));
  const headers = { 'content-type': 'application/x-ndjson' };
  await target.must('POST', `/${index}/_bulk?refresh=true`, { body: Buffer.from(`${lines.join('\n')}\n`), headers });
}

/** The ids that one slice of a scroll finds. */
async function sliceOf(target: ContractTarget, index: string, id: number, max: number): Promise<string[]> {
  const path = `/${index}/_search?scroll=1m&size=100`;
  const { body } = await target.must('POST', path, { body: { slice: { id, max } } });
  await target.must('DELETE', '/_search/scroll', { body: { scroll_id: body._scroll_id } });
  return body.hits.hits.map(({ _id }: { _id: string }) => _id);
}

const documentsOf = async (target: ContractTarget, index: string) => {
  const { body } = await target.get(`/${index}/_search?size=100`);
  return new Map<string, string>(
    body.hits.hits.map((hit: { _id: string; _source: { by: string } }) => [hit._id, hit._source.by]),
  );
};

contract('of as many slices as an index has shards, each one is a shard', async (target) => {
  await target.index('contract-sliced', three);
  await write(target, 'contract-sliced', ids, 'all');
  const { body: rows } = await target.get('/_cat/shards/contract-sliced?format=json&h=shard,docs');
  for (const { shard, docs } of rows as { shard: string; docs: string }[]) {
    const found = await sliceOf(target, 'contract-sliced', Number(shard), 3);
    expect(found).toHaveLength(Number(docs));
    target.compare(`shard ${shard}`, { status: 200, headers: {}, body: found.toSorted() });
  }
  const { error } = (await target.post('/contract-sliced/_search', { slice: { id: 0, max: 3 } })).body;
  expect(error).toMatchObject({
    type: 'action_request_validation_exception',
    reason: 'Validation Failed: 1: [slice] can only be used with [scroll] or [point-in-time] requests;',
  });
});

contract(
  'reindex with op_type create brings one shard back and keeps what is there',
  async (target) => {
    await target.index('contract-source', three);
    await target.index('contract-dest', three);
    await write(target, 'contract-source', ids, 'source');
    const lost = await sliceOf(target, 'contract-source', 1, 3);
    const newer = lost.slice(0, 2);
    await write(target, 'contract-dest', newer, 'dest');

    const body = {
      conflicts: 'proceed',
      source: { index: 'contract-source', slice: { id: 1, max: 3 } },
      dest: { index: 'contract-dest', op_type: 'create' },
    };
    const counts = { total: lost.length, updated: 0, deleted: 0, batches: 1, noops: 0, timed_out: false, failures: [] };
    const first = await target.must('POST', '/_reindex?refresh=true', { body });
    expect(first.body).toMatchObject({ ...counts, created: lost.length - 2, version_conflicts: 2 });
    expect(Object.keys(first.body)).toEqual(replyMembers);
    const again = await target.must('POST', '/_reindex?refresh=true', { body });
    expect(again.body).toMatchObject({ ...counts, created: 0, version_conflicts: lost.length });
    const expected = lost.map((id) => [id, newer.includes(id) ? 'dest' : 'source'] as const);
    expect(await documentsOf(target, 'contract-dest')).toEqual(new Map(expected));
  },
  { needs: ['reindex'] },
);

const replyMembers = [
  'took',
  'timed_out',
  'total',
  'updated',
  'created',
  'deleted',
  'batches',
  'version_conflicts',
  'noops',
  'retries',
  'throttled_millis',
  'requests_per_second',
  'throttled_until_millis',
  'failures',
];

contract(
  'reindex keeps the routing of documents and overwrites unless it is asked to create',
  async (target) => {
    await target.index('contract-routed', three);
    await target.index('contract-copy', three);
    await target.must('PUT', '/contract-routed/_doc/1?routing=b&refresh=true', { body: { by: 'source' } });
    await target.must('PUT', '/contract-copy/_doc/1?routing=b&refresh=true', { body: { by: 'dest' } });
    const [source, dest] = [{ index: 'contract-routed' }, { index: 'contract-copy' }];

    const refused = await target.post('/_reindex', { source, dest: { ...dest, op_type: 'create' } });
    expect([refused.status, refused.body.version_conflicts, refused.body.failures.length]).toEqual([409, 1, 1]);
    expect(refused.body.failures[0]).toMatchObject({
      index: 'contract-copy',
      id: '1',
      status: 409,
      cause: { type: 'version_conflict_engine_exception', index: 'contract-copy' },
    });
    const written = await target.must('POST', '/_reindex', { body: { source, dest } });
    expect(written.body).toMatchObject({ total: 1, updated: 1, created: 0 });
    expect((await target.get('/contract-copy/_doc/1?routing=b')).body._source).toEqual({ by: 'source' });
  },
  { needs: ['reindex'] },
);

contract(
  'reindex refuses what it cannot do',
  async (target) => {
    await target.index('contract-only', three);
    const refusals: readonly [body: unknown, status: number, error: object][] = [
      [
        { source: { index: 'contract-only' }, dest: { index: 'contract-only' } },
        400,
        { reason: 'Validation Failed: 1: reindex cannot write into an index its reading from [contract-only];' },
      ],
      [{ source: { index: 'contract-none' }, dest: { index: 'contract-only' } }, 404, { index: 'contract-none' }],
      [{ source: { index: 'contract-only' }, dest: {} }, 400, { type: 'action_request_validation_exception' }],
      [
        { conflicts: 'ignore', source: { index: 'contract-only' }, dest: { index: 'contract-copy' } },
        400,
        { type: 'x_content_parse_exception' },
      ],
    ];
    for (const [body, status, error] of refusals) {
      const answer = await target.post('/_reindex', body);
      expect([answer.status, answer.body.error]).toEqual([status, expect.objectContaining(error)]);
    }
  },
  { needs: ['reindex'] },
);

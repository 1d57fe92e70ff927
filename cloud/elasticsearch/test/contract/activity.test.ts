import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

const index = 'contract-activity';

/** Counters that only what a case does can move. */
const counters = {
  docs: ['count', 'deleted'],
  indexing: ['index_total', 'index_failed', 'delete_total'],
  get: ['total', 'exists_total', 'missing_total'],
  search: ['query_total', 'fetch_total', 'scroll_total', 'open_contexts', 'scroll_current'],
  flush: ['total', 'periodic'],
  refresh: ['external_total'],
  translog: ['operations', 'uncommitted_operations'],
  bulk: ['total_operations'],
} as const;

type Counts = Record<string, number>;

async function counts(target: ContractTarget): Promise<Counts> {
  const { body } = await target.must('GET', `/${index}/_stats`);
  const { primaries } = body.indices[index];
  return Object.fromEntries(
    Object.entries(counters).flatMap(([section, names]) =>
      names.map((name) => [`${section}.${name}`, primaries[section][name] as number] as const),
    ),
  );
}

/** The counters that an act moves. */
async function moved(target: ContractTarget, act: () => Promise<unknown>): Promise<Counts> {
  const before = await counts(target);
  await act();
  const after = await counts(target);
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, value]) => (value === before[name] ? [] : [[name, value - before[name]!]])),
  );
}

contract('searches, reads, writes, refreshes and flushes are counted', async (target) => {
  await target.index(index, { number_of_shards: 1, number_of_replicas: 0, refresh_interval: -1 });
  const see = async (step: string, act: () => Promise<unknown>) =>
    target.compare(step, { status: 200, headers: {}, body: await moved(target, act) });
  const put = (id: number) => target.must('PUT', `/${index}/_doc/${id}`, { body: { a: id } });

  await see('two documents', () => put(1).then(() => put(2)));
  await see('refresh', () => target.must('POST', `/${index}/_refresh`));
  await see('a second refresh with nothing new', () => target.must('POST', `/${index}/_refresh`));
  await see('the same document again', () => put(1));
  await see('a refresh after that', () => target.must('POST', `/${index}/_refresh`));
  await see('delete', () => target.must('DELETE', `/${index}/_doc/2`));
  await see('a refresh after the delete', () => target.must('POST', `/${index}/_refresh`));
  await see('flush', () => target.must('POST', `/${index}/_flush`));
  await see('a second flush with nothing new', () => target.must('POST', `/${index}/_flush`));
  await see('get', () => target.must('GET', `/${index}/_doc/1`));
  await see('get nothing', () => target.get(`/${index}/_doc/none`));
  await see('get many', () => target.must('POST', `/${index}/_mget`, { body: { ids: ['1', 'none'] } }));
  await see('search', () => target.must('GET', `/${index}/_search`));
  await see('search without hits', () =>
    target.must('POST', `/${index}/_search`, { body: { query: { term: { a: 99 } } } }),
  );
  await see('count', () => target.must('GET', `/${index}/_count`));
  await see('search without documents', () => target.must('GET', `/${index}/_search?size=0`));
  const bulk = `{"index":{"_index":"${index}","_id":"8"}}\n{"a":8}\n{"create":{"_index":"${index}","_id":"1"}}\n{"a":1}\n`;
  await see('bulk with a conflict', () => target.must('POST', '/_bulk', { body: bulk }));
  let scroll = '';
  await see('scroll', async () => {
    scroll = (await target.must('GET', `/${index}/_search?scroll=1m&size=1`)).body._scroll_id;
  });
  await see('scroll on', () => target.must('POST', '/_search/scroll', { body: { scroll_id: scroll, scroll: '1m' } }));
  await see('end of the scroll', () => target.must('DELETE', '/_search/scroll', { body: { scroll_id: scroll } }));
});

interface NodeCounts {
  readonly indices: { readonly search: { readonly query_total: number }; readonly get: { readonly total: number } };
  readonly transport: { readonly rx_count: number; readonly tx_count: number };
  readonly http: { readonly total_opened: number };
}

contract('counters of nodes and of cat tables move with those of the index', async (target) => {
  await target.index(index, { number_of_shards: 1, number_of_replicas: 0, refresh_interval: -1 });
  await target.must('PUT', `/${index}/_doc/1?refresh=true`, { body: { a: 1 } });
  const sum = async () => {
    const { body } = await target.must('GET', '/_nodes/stats/indices,transport,http');
    const nodes = Object.values(body.nodes as Record<string, NodeCounts>);
    const total = (read: (node: NodeCounts) => number) => nodes.reduce((all, node) => all + read(node), 0);
    return {
      searches: total(({ indices }) => indices.search.query_total),
      gets: total(({ indices }) => indices.get.total),
      received: total(({ transport }) => transport.rx_count),
      sent: total(({ transport }) => transport.tx_count),
      opened: total(({ http }) => http.total_opened),
    };
  };
  const columns = 'search.query_total,search.fetch_total,get.total,get.exists_total,get.missing_total';
  const row = async () => (await target.must('GET', `/_cat/indices/${index}?h=${columns}`)).text;
  const before = await sum();
  target.compare('before', { status: 200, headers: {}, body: await row() });
  await target.must('GET', `/${index}/_search`);
  await target.must('GET', `/${index}/_doc/1`);
  target.compare('after', { status: 200, headers: {}, body: await row() });
  await target.transport.pass(2000);
  const after = await sum();
  expect(after.searches).toBeGreaterThan(before.searches);
  expect(after.gets).toBeGreaterThan(before.gets);
  expect(after.received).toBeGreaterThan(before.received);
  expect(after.sent).toBeGreaterThan(before.sent);
  expect(after.opened).toBeGreaterThanOrEqual(1);
});

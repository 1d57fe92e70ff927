import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

/** A request by its method, its path and its body. */
type Request = readonly [method: string, path: string, body?: unknown];

async function seeAll(target: ContractTarget, requests: readonly Request[], varying: readonly string[] = []) {
  for (const [method, path, body] of requests) {
    const said = body === undefined ? '' : ` ${typeof body === 'string' ? body : JSON.stringify(body)}`;
    await target.see(`${method} ${path}${said}`, method, path, { body }, { varying });
  }
}

contract('date math and characters in names that cannot be', async (target) => {
  await seeAll(target, [
    ['PUT', '/%3Ccontract-%7Bnow%2Fd'],
    ['PUT', '/%3Ccontract-%7Bnope%7D%3E'],
    ['PUT', '/%3Ccontract-%7Bnow%2Fq%7D%3E'],
    ['PUT', '/%3Ccontract-%7Bnow%7B%3E'],
    ['PUT', '/%3Ccontract-%7Bnow%2Fd%7Bnope%7D%7D%3E'],
    ['PUT', '/%3Ccontract-%7Bnope%7D%3E/_doc/1', { a: 1 }],
    ['POST', '/_bulk', '{"index":{"_index":"<contract-{nope}>"}}\n{"a":1}\n'],
    ['GET', '/%3Ccontract-missing-%7Bnow%2Fd%7Byyyy%7D%7D%3E?ignore_unavailable=true'],
    ['GET', '/contract-%C3%BC'],
  ]);
  target.cleanup(() => target.delete('/contract-%C3%BC'));
  await seeAll(target, [['PUT', '/contract-%C3%BC', { settings: { number_of_replicas: 0 } }]]);
  await seeAll(target, [['PUT', '/contract-%C3%BC/_doc/%C3%BC', { a: 1 }]]);
  await seeAll(target, [['GET', '/contract-%C3%BC/_doc/%C3%BC']]);
});

contract('an empty primary is allocated for an index that was never allocated', async (target) => {
  const settings = { number_of_shards: 1, number_of_replicas: 0, 'index.routing.allocation.enable': 'none' };
  target.cleanup(() => target.delete('/contract-stuck?ignore_unavailable=true'));
  await target.must('PUT', '/contract-stuck?wait_for_active_shards=0', { body: { settings } });
  const command = { index: 'contract-stuck', shard: 0, node: target.nodes[0]!.name };
  const reroute = (step: string, commands: unknown, more = '') =>
    target.see(step, 'POST', `/_cluster/reroute?metric=none${more}`, { body: { commands } });
  await reroute('a stale one', [{ allocate_stale_primary: { ...command, accept_data_loss: true } }]);
  await reroute('explained', [{ allocate_empty_primary: command }], '&dry_run&explain');
  await reroute('without accepting a loss', [{ allocate_empty_primary: command }]);
  await target.health('contract-stuck');
  await reroute('a second time', [{ allocate_empty_primary: command }]);
});

contract('explanations of reroute commands name the command', async (target) => {
  await target.index('contract-explained', { number_of_shards: 1, number_of_replicas: 0 });
  const [row] = (await target.must('GET', '/_cat/shards/contract-explained?format=json&h=node')).body;
  const other = target.nodes.find(({ name }) => name !== row.node)!.name;
  const at = { index: 'contract-explained', shard: 0 };
  const explain = (step: string, command: unknown) =>
    target.see(step, 'POST', '/_cluster/reroute?metric=none&dry_run&explain', { body: { commands: [command] } });
  await explain('move', { move: { ...at, from_node: row.node, to_node: other } });
  await explain('move from elsewhere', { move: { ...at, from_node: other, to_node: row.node } });
  await explain('move to itself', { move: { ...at, from_node: row.node, to_node: row.node } });
  await explain('cancel without allow_primary', { cancel: { ...at, node: row.node } });
  await explain('cancel', { cancel: { ...at, node: row.node, allow_primary: true } });
  await explain('cancel elsewhere', { cancel: { ...at, node: other } });
  await explain('replica', { allocate_replica: { ...at, node: other } });
});

contract('cat tables of closed indices and unassigned shards', async (target) => {
  await target.index('contract-shut', { number_of_shards: 1, number_of_replicas: 0 });
  await target.must('PUT', '/contract-shut/_doc/1?refresh=true', { body: { a: 1 } });
  await target.must('POST', '/contract-shut/_close');
  await target.health('contract-shut');
  await seeAll(target, [
    ['GET', '/_cat/shards/contract-shut?h=index,prirep,state,docs'],
    ['GET', '/_cat/indices/contract-shut?h=health,status,index,pri,rep,docs.count,docs.deleted'],
    ['GET', '/_cat/indices/contract-shut?format=json&h=status,docs.count,store.size'],
  ]);
  target.cleanup(() => target.delete('/contract-unassigned?ignore_unavailable=true'));
  const settings = { number_of_replicas: 0, 'index.routing.allocation.require._name': 'nobody' };
  await target.must('PUT', '/contract-unassigned?wait_for_active_shards=0', { body: { settings } });
  await seeAll(target, [
    ['GET', `/_cat/allocation/${target.nodes[0]!.name}?h=node`],
    ['GET', '/_cat/allocation/nobody?h=node,shards'],
    ['GET', '/_cat/shards/contract-unassigned?format=json&h=index,docs,store,node'],
    ['GET', '/_cat/indices/contract-unassigned?format=json&h=status,health,docs.count,store.size,pri.store.size'],
  ]);
  await target.see('every column', 'GET', '/_cat/indices/contract-shut?format=json&h=*', {}, { as: 'shape' });
  await target.see(
    'every column of an index without shards',
    'GET',
    '/_cat/indices/contract-unassigned?format=json&h=*',
    {},
    { as: 'shape' },
  );
});

contract('documents with nested fields are taken', async (target) => {
  target.cleanup(() => target.delete('/contract-nested?ignore_unavailable=true'));
  const mappings = {
    properties: { many: { type: 'nested', properties: { a: { type: 'long' } } }, one: { type: 'nested' } },
  };
  await target.must('PUT', '/contract-nested', { body: { settings: { number_of_replicas: 0 }, mappings } });
  await seeAll(target, [
    ['PUT', '/contract-nested/_doc/1?refresh=true', { many: [{ a: 1 }, { a: 2, b: 'x' }], one: { c: true } }],
  ]);
  // A write returns when the node of its shard has the new mapping. The master, which is asked for it, applies it last.
  await target.must('GET', '/_cluster/health?wait_for_events=languid');
  await seeAll(target, [
    ['GET', '/contract-nested/_mapping'],
    ['GET', '/contract-nested/_count'],
    ['PUT', '/contract-nested/_doc/2', { many: 'text' }],
  ]);
});

contract('sorting and totals of searches', async (target) => {
  await target.index('contract-sorted', { number_of_shards: 1, number_of_replicas: 0 });
  for (let id = 1; id <= 3; id++)
    await target.must('PUT', `/contract-sorted/_doc/${id}?refresh=true`, { body: { a: id } });
  const search = (body: unknown) => ['POST', '/contract-sorted/_search?filter_path=hits,error,status', body] as const;
  await seeAll(target, [
    search({ track_total_hits: 2, size: 1 }),
    search({ track_total_hits: 3, size: 1 }),
    search({ track_total_hits: false, size: 1 }),
    search({ track_total_hits: -2 }),
    search({ track_total_hits: 'x' }),
    search({ sort: [{ a: 'desc' }], size: 1 }),
    search({ sort: ['nope'] }),
    search({ sort: [{ nope: { order: 'asc', unmapped_type: 'long' } }], size: 1 }),
    search({ sort: [{ a: { order: 'sideways' } }] }),
    search({ sort: ['_doc'], size: 1 }),
    search({ sort: ['_score'], size: 1 }),
    search({ nope: [] }),
    search({ query: { match_all: {} }, size: 'x' }),
  ]);
});

contract('cluster statistics of chosen nodes', async (target) => {
  await seeAll(target, [
    ['GET', `/_cluster/stats/nodes/${target.nodes[0]!.name}?filter_path=_nodes,nodes.count.total`],
    ['GET', '/_cluster/stats/nodes/nobody?filter_path=_nodes,nodes.count.total'],
    ['GET', '/_cluster/stats/nope/x'],
  ]);
});

contract('parts of the cluster state', async (target) => {
  const shape = { as: 'shape' } as const;
  const versions = 'nodes_versions.node_id,nodes_versions.transport_version,nodes_features.node_id';
  await target.see('nodes', 'GET', `/_cluster/state?filter_path=${versions}`, {}, shape);
  // Others appear with the first snapshot, restore or clean-up.
  await target.see('customs', 'GET', '/_cluster/state/customs?filter_path=health', {}, shape);
  const metadata = '/_cluster/state/metadata/contract-none?filter_path=metadata.*';
  await target.see('metadata', 'GET', metadata, {}, { as: 'shape', dictionaries: ['indices'] });
  await seeAll(target, [['GET', '/_cluster/state/nope']]);
});

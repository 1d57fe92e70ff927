import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

const tables = [
  'aliases',
  'allocation',
  'count',
  'health',
  'indices',
  'master',
  'nodeattrs',
  'nodes',
  'pending_tasks',
  'recovery',
  'repositories',
  'shards',
  'snapshots',
  'templates',
  'thread_pool',
];

contract('help of every cat API lists its columns', async (target) => {
  for (const table of tables) await target.see(table, 'GET', `/_cat/${table}?help`, {}, { as: 'text' });
});

/** Two indices with documents, all of them open: every shard started, nothing moving. */
async function books(target: ContractTarget): Promise<void> {
  await target.index('contract-books', { number_of_shards: 2, number_of_replicas: 1 });
  await target.index('contract-alone', { number_of_shards: 1, number_of_replicas: 0 });
  for (const id of [1, 2, 3]) await target.must('PUT', `/contract-books/_doc/${id}`, { body: { title: `book ${id}` } });
  await target.must('POST', '/contract-books/_refresh');
}

const ours = 'contract-books,contract-alone';

const rows: readonly [string, readonly string[]][] = [
  [`/_cat/indices/${ours}?s=index&format=json&h=health,status,index,pri,rep,docs.count,docs.deleted`, []],
  [`/_cat/shards/${ours}?s=index,shard,prirep&format=json&h=index,shard,prirep,state,node,unassigned.reason`, []],
  [`/_cat/count/contract-books?format=json`, ['epoch', 'timestamp']],
  [`/_cat/aliases/none-such?format=json`, []],
  [`/_cat/nodeattrs?format=json&h=node,attr,value&s=value`, []],
  [`/_cat/master?format=json`, []],
  [`/_cat/nodes?format=json&s=name&h=name,node.role,version`, []],
  [`/_cat/pending_tasks?format=json`, []],
  [`/_cat/recovery/contract-alone?format=json&h=index,shard,type,stage,files_percent,bytes_percent`, []],
  [`/_cat/repositories?format=json`, []],
];

contract(
  'cat APIs return the recorded rows',
  async (target) => {
    await books(target);
    for (const [path, varying] of rows) await target.see(path, 'GET', path, {}, { varying });
  },
  { needs: ['three zones'] },
);

contract('cat APIs return their default columns when h is absent', async (target) => {
  await books(target);
  for (const table of [
    'allocation',
    'count',
    'health',
    'indices',
    'master',
    'nodeattrs',
    'nodes',
    'shards',
    'thread_pool',
  ]) {
    const path = /indices|shards|count/.test(table) ? `${table}/contract-books` : table;
    const { body } = await target.get(`/_cat/${path}?format=json`);
    const columns = [...new Set((body as object[]).flatMap((row) => Object.keys(row)))];
    target.compare(table, { status: 200, headers: {}, body: columns });
  }
});

contract('cat APIs align columns of plain text', async (target) => {
  await books(target);
  await target.see(
    'header',
    'GET',
    `/_cat/indices/${ours}?v&s=index&h=index,pri,rep,docs.count,status`,
    {},
    { as: 'text' },
  );
  await target.see('no header', 'GET', `/_cat/indices/${ours}?s=index:desc&h=index,pri,rep`, {}, { as: 'text' });
  await target.see('wildcard', 'GET', `/_cat/indices/${ours}?v&s=index&h=index,docs*`, {}, { as: 'text' });
  await target.see(
    'by two keys',
    'GET',
    `/_cat/shards/${ours}?v&s=index:desc,prirep,shard&h=index,shard,prirep,state`,
    {},
    { as: 'text' },
  );
  await target.see('aliases of columns', 'GET', `/_cat/indices/${ours}?v&s=i&h=i,p,r,dc`, {}, { as: 'text' });
});

contract('cat APIs return JSON, YAML, SMILE and CBOR on request', async (target) => {
  await books(target);
  const path = '/_cat/indices/contract-books?h=index,pri,rep';
  await target.see('YAML', 'GET', `${path}&format=yaml`, {}, { as: 'text' });
  await target.see('JSON by header', 'GET', path, { headers: { accept: 'application/json' } }, { as: 'text' });
  await target.see('pretty JSON', 'GET', `${path}&format=json&pretty`, {}, { as: 'text' });
  await target.see('text by header', 'GET', path, { headers: { accept: 'text/plain' } }, { as: 'text' });
  await target.see(
    'versioned text',
    'GET',
    path,
    { headers: { accept: 'text/vnd.elasticsearch+plain;compatible-with=8' } },
    { as: 'text' },
  );
  await target.see('filtered', 'GET', `${path}&format=json&filter_path=index`);
});

contract('cat APIs show sizes and times in the requested unit', async (target) => {
  await books(target);
  const cell = async (query: string) => (await target.get(`/_cat/nodes?${query}&format=json`)).body[0];

  expect((await cell('h=heap.max&bytes=b'))['heap.max']).toMatch(/^\d{7,}$/);
  expect((await cell('h=heap.max&bytes=mb'))['heap.max']).toMatch(/^\d{2,5}$/);
  expect((await cell('h=heap.max'))['heap.max']).toMatch(/^[\d.]+(mb|gb)$/);
  expect((await cell('h=uptime&time=s')).uptime).toMatch(/^\d+$/);
  expect((await cell('h=uptime')).uptime).toMatch(/^[\d.]+(ms|s|m|h|d)$/);
});

contract('cat APIs refuse unknown columns, units and tables', async (target) => {
  await target.see('sort', 'GET', '/_cat/indices?s=nope');
  await target.see('column', 'GET', '/_cat/master?h=nope', {}, { as: 'text' });
  await target.see('table', 'GET', '/_cat/nope');
  await target.see('flag', 'GET', '/_cat/nodes?v=maybe');
  await target.see('colour', 'GET', '/_cat/indices?health=blue');
});

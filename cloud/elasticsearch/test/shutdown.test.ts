import { describe, expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

const remove = { type: 'remove', reason: 'going away' };
const idOf = (test: TestCluster, name: string) => test.node(name).id;
const shutdownOf = async (test: TestCluster, name: string) =>
  (await test.get(`/_nodes/${idOf(test, name)}/shutdown`)).body.nodes[0];
const shardsOn = async (test: TestCluster, name: string): Promise<string[]> =>
  (await test.get('/_cat/shards?format=json&h=index,shard,prirep,node')).body
    .filter((row: { node: string | null }) => row.node === name)
    .map((row: { index: string; shard: string }) => `${row.index}/${row.shard}`);

async function withIndex(count: number, settings: Record<string, unknown>): Promise<TestCluster> {
  const test = await TestCluster.formed(count);
  await test.put('/books', { settings });
  await test.get('/_cluster/health?wait_for_status=green&timeout=60s');
  return test;
}

describe('the record of a node that goes away', () => {
  it('a shutdown record moves every shard off the node and reports the progress', async () => {
    const test = await withIndex(3, { number_of_shards: 3, number_of_replicas: 0 });
    expect(await shardsOn(test, 'node-2')).toHaveLength(1);

    await test.put(`/_nodes/${idOf(test, 'node-2')}/shutdown`, remove);
    expect((await shutdownOf(test, 'node-2')).shard_migration.status).not.toBe('NOT_STARTED');
    await test.clock.advance(60_000);

    expect(await shutdownOf(test, 'node-2')).toMatchObject({
      type: 'REMOVE',
      reason: 'going away',
      status: 'COMPLETE',
      shard_migration: { status: 'COMPLETE', shard_migrations_remaining: 0 },
      persistent_tasks: { status: 'COMPLETE' },
      plugins: { status: 'COMPLETE' },
    });
    expect(await shardsOn(test, 'node-2')).toEqual([]);
  });

  it('a node has a folder of an index on its disk from the moment at which a shard begins to move there', async () => {
    const test = await withIndex(2, { number_of_shards: 1, number_of_replicas: 0 });
    const [from, to] = (await shardsOn(test, 'node-1')).length > 0 ? ['node-1', 'node-2'] : ['node-2', 'node-1'];
    const onDisk = () => [from, to].map((name) => test.node(name!).indicesOnDisk.size);
    expect(onDisk()).toEqual([1, 0]);

    await test.put(`/_nodes/${idOf(test, from!)}/shutdown`, remove);
    expect(onDisk()).toEqual([1, 1]);
    await test.clock.advance(60_000);

    expect(onDisk()).toEqual([0, 1]);
    test.node(to!).stop();
    expect(onDisk()).toEqual([0, 1]);
  });

  it('a shutdown record of type restart keeps the shards of the node for its allocation delay', async () => {
    const test = await withIndex(3, { number_of_shards: 1, number_of_replicas: 1 });
    const [row] = (await test.get('/_cat/shards?format=json&h=node,prirep')).body;
    const node = test.node(row.node);
    const body = { type: 'restart', reason: 'new kernel', allocation_delay: '20m' };
    await test.put(`/_nodes/${node.id}/shutdown`, body);
    expect((await shutdownOf(test, node.name)).shard_migration).toMatchObject({
      status: 'COMPLETE',
      explanation: 'no shard relocation is necessary for a node restart',
    });

    node.stop();
    await test.clock.advance(15 * 60_000);
    const health = (await test.get('/_cluster/health')).body;
    expect(health).toMatchObject({ status: 'yellow', delayed_unassigned_shards: 1, unassigned_shards: 1 });

    await test.clock.advance(6 * 60_000);
    expect((await test.get('/_cluster/health')).body).toMatchObject({ status: 'green', delayed_unassigned_shards: 0 });
  });

  it('a shutdown record is accepted for an unknown node id and is NOT_STARTED', async () => {
    const test = await TestCluster.formed(1);
    expect((await test.put('/_nodes/no-such-node/shutdown', remove)).body).toEqual({ acknowledged: true });
    const record = (await test.get('/_nodes/no-such-node/shutdown')).body.nodes[0];
    expect(record).toMatchObject({
      node_id: 'no-such-node',
      status: 'NOT_STARTED',
      shard_migration: { status: 'NOT_STARTED' },
    });
  });

  it('put shutdown refuses fields that its type does not take', async () => {
    const test = await TestCluster.formed(1);
    const path = `/_nodes/${idOf(test, 'node-1')}/shutdown`;
    expect((await test.put(path, { type: 'remove' })).status).toBe(400);
    expect((await test.put(path, { reason: 'x' })).status).toBe(400);
    expect((await test.put(path, { ...remove, allocation_delay: '5m' })).status).toBe(400);
    expect((await test.put(path, { type: 'replace', reason: 'x' })).status).toBe(400);
    expect((await test.put(path, { type: 'sigterm', reason: 'x' })).status).toBe(400);
    expect((await test.delete('/_nodes/unknown/shutdown')).status).toBe(404);
  });
});

it('[rule 22] keeps the record of a node that has left, for ever', async () => {
  const test = await withIndex(3, { number_of_replicas: 1 });
  const id = idOf(test, 'node-3');
  await test.put(`/_nodes/${id}/shutdown`, remove);
  await test.clock.advance(60_000);
  test.cluster.removeNode(test.node('node-3'));
  await test.clock.advance(30 * 86_400_000);
  expect((await test.get('/_nodes/shutdown')).body.nodes.map((node: { node_id: string }) => node.node_id)).toEqual([
    id,
  ]);
});

it('[rule 22] counts a node with a leftover record as gone when replicas expand by themselves', async () => {
  const test = await withIndex(3, { number_of_shards: 1, auto_expand_replicas: '0-all' });
  const replicas = async () =>
    (await test.get('/books/_settings')).body.books.settings.index.number_of_replicas as string;
  expect(await replicas()).toBe('2');

  await test.put(`/_nodes/${idOf(test, 'node-3')}/shutdown`, remove);
  await test.clock.advance(60_000);
  expect(await replicas()).toBe('1');

  test.node('node-3').restart();
  await test.clock.advance(120_000);
  expect((await test.get('/_cat/nodes?h=name')).text.split('\n').filter(Boolean)).toHaveLength(3);
  expect(await replicas()).toBe('1');
});

it('[rule 22] calls a node complete whose shards stay, when other nodes hold copies of all of them', async () => {
  const test = await withIndex(2, { number_of_shards: 1, number_of_replicas: 1 });
  await test.put(`/_nodes/${idOf(test, 'node-2')}/shutdown`, remove);
  await test.clock.advance(600_000);

  expect((await shutdownOf(test, 'node-2')).shard_migration).toMatchObject({
    status: 'COMPLETE',
    shard_migrations_remaining: 0,
    explanation: expect.stringMatching(/^\[1\] shards cannot be moved away from this node but have at least one copy/),
  });
  expect(await shardsOn(test, 'node-2')).toEqual(['books/0']);
});

it('[rule 22] is stalled while no node may take the only copy, and goes on when one may', async () => {
  const test = await withIndex(3, {
    number_of_shards: 1,
    number_of_replicas: 0,
    'index.routing.allocation.require._name': 'node-2',
  });
  await test.put(`/_nodes/${idOf(test, 'node-2')}/shutdown`, remove);
  await test.clock.advance(600_000);
  const stalled = await shutdownOf(test, 'node-2');
  expect(stalled.status).toBe('STALLED');
  expect(stalled.shard_migration.explanation).toMatch(/^shard \[0\] \[primary\] of index \[books\] cannot move/);
  expect(stalled.shard_migration.node_allocation_decision).toMatchObject({ can_move_to_other_node: 'no' });

  await test.put('/books/_settings', { 'index.routing.allocation.require._name': null });
  await test.clock.advance(60_000);
  expect((await shutdownOf(test, 'node-2')).status).toBe('COMPLETE');
});

it('[rule 23] lets shards return to a node once its record is deleted', async () => {
  const test = await withIndex(2, { number_of_shards: 4, number_of_replicas: 0 });
  await test.put(`/_nodes/${idOf(test, 'node-2')}/shutdown`, remove);
  await test.clock.advance(60_000);
  expect(await shardsOn(test, 'node-2')).toEqual([]);

  await test.clock.advance(86_400_000);
  expect(await shardsOn(test, 'node-2')).toEqual([]);
  await test.delete(`/_nodes/${idOf(test, 'node-2')}/shutdown`);
  await test.clock.advance(60_000);
  expect(await shardsOn(test, 'node-2')).toHaveLength(2);
});

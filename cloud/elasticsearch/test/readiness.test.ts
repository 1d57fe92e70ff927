import { expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

const health = async (test: TestCluster) => (await test.get('/_cluster/health')).body;

/** Copies of `books` on a node, by state. */
const copiesOn = async (test: TestCluster, node: string): Promise<string[]> =>
  (await test.get('/_cat/shards/books?format=json&h=node,state')).body
    .filter((row: { node: string | null }) => row.node === node)
    .map((row: { state: string }) => row.state);

it('[rule 24] has nothing relocating while a node that joined still waits for the copies it is to hold', async () => {
  const test = await TestCluster.formed(2);
  await test.put('/books', { settings: { number_of_shards: 6, number_of_replicas: 2 } });
  await test.clock.advance(30_000);
  test.cluster.inflate('books', 4e9);
  test.cluster.addNode({ name: 'node-3', zone: 'c' });
  await test.clock.advance(20_000);

  // Two copies come at a time (`node_concurrent_incoming_recoveries`), the others queue: not one of them "relocates".
  expect(await health(test)).toMatchObject({ relocating_shards: 0, initializing_shards: 2, unassigned_shards: 4 });
  expect(await copiesOn(test, 'node-3')).toEqual(['INITIALIZING', 'INITIALIZING']);

  await test.clock.advance(3_600_000);
  expect(await health(test)).toMatchObject({ status: 'green', relocating_shards: 0, initializing_shards: 0 });
  expect(await copiesOn(test, 'node-3')).toHaveLength(6);
});

it('[rule 24] relocates shards between other nodes while a node has everything that it is to hold', async () => {
  const test = await TestCluster.formed(3);
  await test.put('/films', { settings: { number_of_replicas: 0, 'index.routing.allocation.require._name': 'node-1' } });
  await test.put('/books', { settings: { number_of_replicas: 0, 'index.routing.allocation.require._name': 'node-3' } });
  await test.clock.advance(30_000);
  test.cluster.inflate('films', 4e9);
  await test.put('/films/_settings', { 'index.routing.allocation.require._name': 'node-2' });
  await test.clock.advance(5000);

  expect((await health(test)).relocating_shards).toBe(1);
  expect(await copiesOn(test, 'node-3')).toEqual(['STARTED']);
});

it('[rule 24] plans moves that have not begun: nothing relocates although the balance is not what is desired', async () => {
  const test = await TestCluster.formed(2);
  await test.put('/books', { settings: { number_of_shards: 8, number_of_replicas: 0 } });
  await test.put('/_cluster/settings', { persistent: { 'cluster.routing.rebalance.enable': 'none' } });
  await test.clock.advance(30_000);
  test.cluster.addNode({ name: 'node-3', zone: 'c' });
  await test.clock.advance(600_000);

  expect(await health(test)).toMatchObject({ status: 'green', relocating_shards: 0 });
  expect(await copiesOn(test, 'node-3')).toEqual([]);
});

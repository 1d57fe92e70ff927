import { SeededRandom } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { SearchNode } from '../src/engine/coordination/search-node.ts';
import { TestCluster } from './search-support.ts';

/** Writes on demand and remembers what was acknowledged. */
class Writer {
  readonly acknowledged = new Set<string>();
  #test: TestCluster;
  #next = 0;

  constructor(test: TestCluster) {
    this.#test = test;
  }

  /** Sends one bulk request to a node and does not wait for its response. */
  send(node: SearchNode, count = 5): void {
    const ids = Array.from({ length: count }, () => String(this.#next++));
    const lines = ids.map((id) => `{"index":{"_index":"books","_id":"${id}"}}\n{"id":${id}}\n`).join('');
    const request = {
      method: 'POST',
      host: node.ip,
      path: '/_bulk',
      query: 'timeout=20s',
      headers: { 'content-type': 'application/x-ndjson' },
      body: Buffer.from(lines),
    };
    node.handle(request).then(
      ({ status, body }) => {
        if (status !== 200) return;
        for (const { index } of JSON.parse(String(body)).items)
          if (index.status < 300) this.acknowledged.add(index._id);
      },
      () => {},
    );
  }

  async lost(): Promise<string[]> {
    await this.#test.post('/books/_refresh');
    const found = await this.#test.post('/books/_search', { size: 10_000, _source: false });
    const ids = new Set((found.body.hits?.hits ?? []).map((hit: { _id: string }) => hit._id));
    return [...this.acknowledged].filter((id) => !ids.has(id));
  }
}

const health = async (test: TestCluster) => (await test.get('/_cluster/health')).body;
const nodeOf = async (test: TestCluster, prirep: 'p' | 'r') => {
  const rows = (await test.get('/_cat/shards/books?format=json&h=prirep,node,state')).body;
  return test.node(rows.find((row: { prirep: string }) => row.prirep === prirep).node);
};

async function withBooks(settings: Record<string, unknown>, count = 3) {
  const test = await TestCluster.formed(count);
  await test.put('/books', { settings });
  await test.get('/_cluster/health?wait_for_status=green&timeout=60s');
  const writer = new Writer(test);
  writer.send(test.node('node-1'), 50);
  await test.clock.advance(1000);
  expect(writer.acknowledged.size).toBe(50);
  return { test, writer };
}

describe('an acknowledged document', () => {
  it('an acknowledged document survives the node with the primary', async () => {
    const { test, writer } = await withBooks({ number_of_shards: 1, number_of_replicas: 1 });
    (await nodeOf(test, 'p')).destroy();
    await test.clock.advance(1000);
    expect((await health(test)).status).toBe('yellow');
    expect(await writer.lost()).toEqual([]);
  });

  it('an acknowledged document is missing while the node with the only copy is down, and back when it returns with its disk', async () => {
    const { test, writer } = await withBooks({ number_of_shards: 1, number_of_replicas: 0 });
    const holder = await nodeOf(test, 'p');
    holder.crash();
    await test.clock.advance(600_000);
    expect((await health(test)).status).toBe('red');
    expect(await writer.lost()).toHaveLength(50);

    holder.start();
    await test.clock.advance(60_000);
    expect((await health(test)).status).toBe('green');
    expect(await writer.lost()).toEqual([]);
  });

  it('an acknowledged document is lost with its only copy, and the shard stays red until the loss is accepted', async () => {
    const { test, writer } = await withBooks({ number_of_shards: 1, number_of_replicas: 0 });
    (await nodeOf(test, 'p')).destroy();
    await test.clock.advance(86_400_000);
    expect((await health(test)).status).toBe('red');

    const node = test.nodes[0]!.name;
    const command = { allocate_empty_primary: { index: 'books', shard: 0, node, accept_data_loss: true } };
    expect((await test.post('/_cluster/reroute', { commands: [command] })).status).toBe(200);
    await test.clock.advance(60_000);
    expect((await health(test)).status).toBe('green');
    expect(await writer.lost()).toHaveLength(50);
  });

  it('a copy that was down during a write is never promoted to primary by itself', async () => {
    const { test, writer } = await withBooks({
      number_of_shards: 1,
      number_of_replicas: 1,
      'index.unassigned.node_left.delayed_timeout': '1d',
    });
    const [first, second] = [await nodeOf(test, 'p'), await nodeOf(test, 'r')];
    second.crash();
    await test.clock.advance(1000);
    writer.send(test.nodes.find((node) => node.running)!, 10);
    await test.clock.advance(1000);
    expect(writer.acknowledged.size).toBe(60);

    first.crash();
    await test.clock.advance(1000);
    second.start();
    await test.clock.advance(600_000);
    expect((await health(test)).status).toBe('red');
    const why = (await test.post('/_cluster/allocation/explain', { index: 'books', shard: 0, primary: true })).body;
    expect(why.can_allocate).toBe('no_valid_shard_copy');

    first.start();
    await test.clock.advance(60_000);
    expect(await writer.lost()).toEqual([]);
  });

  it('a write waits for an unreachable copy until the master has removed it', async () => {
    const { test, writer } = await withBooks({ number_of_shards: 1, number_of_replicas: 1 });
    const silent = await nodeOf(test, 'r');
    silent.crash({ silently: true });
    writer.send(test.nodes.find((node) => node.running)!, 10);
    await test.clock.advance(20_000);
    expect(writer.acknowledged.size).toBe(50);
    await test.clock.advance(40_000);
    expect(writer.acknowledged.size).toBe(60);
    expect(await writer.lost()).toEqual([]);
  });

  it('the small side of a partition acknowledges no document', async () => {
    const { test, writer } = await withBooks({ number_of_shards: 1, number_of_replicas: 1 });
    const alone = await nodeOf(test, 'p');
    test.cluster.partition([alone]);
    writer.send(alone, 10);
    await test.clock.advance(120_000);
    expect(writer.acknowledged.size).toBe(50);

    writer.send(test.nodes.find((node) => node !== alone)!, 10);
    await test.clock.advance(5000);
    expect(writer.acknowledged.size).toBe(60);
    test.cluster.heal();
    await test.clock.advance(120_000);
    expect((await health(test)).status).toBe('green');
    expect(await writer.lost()).toEqual([]);
  });
});

describe('whatever happens to processes and the network, as long as disks stay', () => {
  for (let seed = 1; seed <= 10; seed++)
    it(`loses nothing that was acknowledged (story ${seed})`, async () => {
      const random = new SeededRandom(seed);
      const test = await TestCluster.formed(5, {}, (at) => ({ roles: at < 3 ? ['master', 'data'] : ['data'] }));
      await test.put('/books', {
        settings: {
          number_of_shards: 2,
          number_of_replicas: random.int(0, 2),
          'index.unassigned.node_left.delayed_timeout': random.int(0, 1) === 0 ? '0s' : '1m',
        },
      });
      const writer = new Writer(test);
      const any = (nodes: readonly SearchNode[]) => nodes[random.int(0, nodes.length - 1)]!;
      for (let step = 0; step < 120; step++) {
        misfortune(test, random, any);
        const running = test.nodes.filter((node) => node.running);
        if (running.length > 0) writer.send(any(running));
        await test.clock.advance(random.int(1, 40_000));
      }
      test.cluster.heal();
      for (const node of test.nodes) node.start();
      await test.clock.advance(600_000);
      expect((await health(test)).status).toBe('green');
      expect(writer.acknowledged.size).toBeGreaterThan(50);
      expect(await writer.lost()).toEqual([]);
    });
});

function misfortune(test: TestCluster, random: SeededRandom, any: (nodes: readonly SearchNode[]) => SearchNode) {
  const node = any(test.nodes);
  switch (random.int(0, 11)) {
    case 0:
      return node.crash();
    case 1:
      return node.crash({ silently: true });
    case 2:
      return node.stop();
    case 3:
      return test.cluster.partition([node]);
    case 4:
      return test.cluster.partition([node, any(test.nodes)]);
    case 5:
    case 6:
      return test.cluster.heal();
    case 7:
    case 8:
    case 9:
      for (const stopped of test.nodes) stopped.start();
  }
}

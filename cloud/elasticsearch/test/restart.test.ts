import { describe, expect, it } from 'vitest';
import type { SearchNode } from '../src/engine/coordination/search-node.ts';
import { TestCluster } from './search-support.ts';

const minute = 60_000;
const bulk = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, at) => `{"index":{"_index":"books","_id":"${from + at}"}}\n{"n":${from + at}}\n`,
  ).join('');

/** Three nodes, one index with two copies of its shard, a thousand documents. */
async function withBooks(version?: string) {
  const test = await TestCluster.formed(3, version === undefined ? {} : { version });
  await test.put('/books', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  await test.get('/_cluster/health?wait_for_status=green&timeout=60s');
  await test.post('/_bulk', bulk(0, 1000));
  const rows = (await test.get('/_cat/shards/books?format=json&h=prirep,node')).body as {
    prirep: string;
    node: string;
  }[];
  const on = (prirep: string) => test.node(rows.find((row) => row.prirep === prirep)!.node);
  return { test, primary: on('p'), replica: on('r') };
}

async function restart(test: TestCluster, node: SearchNode, meanwhile: () => Promise<unknown> = async () => {}) {
  await test.put(`/_nodes/${node.id}/shutdown`, { type: 'restart', reason: 'test', allocation_delay: '20m' });
  node.stop();
  await test.clock.advance(1000);
  await meanwhile();
  await test.clock.advance(minute);
  node.start();
  await test.clock.advance(minute);
  const { books } = (await test.get('/_recovery')).body;
  const shard = books.shards.find((entry: { target: { id: string } }) => entry.target.id === node.id);
  const health = (await test.get('/_cluster/health')).body.status;
  return { health, bytes: shard.index.size.recovered_in_bytes, operations: shard.translog.recovered };
}

describe('a node that is stopped while it starts', () => {
  it.each([
    ['stopped', (node: SearchNode) => node.stop()],
    ['lost with its machine', (node: SearchNode) => node.destroy()],
  ] as const)('a node that is %s before it is up never joins the cluster', async (_, end) => {
    const test = await TestCluster.formed(3, {}, () => ({ bootMs: 2_000 }));
    const node = test.node('node-3');
    node.stop();
    await test.clock.advance(1_000);
    node.start();
    await test.clock.advance(1_000);
    end(node);
    await test.clock.advance(minute);
    const names = Object.values((await test.get('/_cluster/state/nodes')).body.nodes as { name: string }[]);
    expect(names.map(({ name }) => name).sort()).toEqual(['node-1', 'node-2']);
  });
});

describe('a node that restarts with its data', () => {
  it('a node that restarts copies every byte when it stopped right after a bulk load and a flush', async () => {
    const { test, replica } = await withBooks();
    await test.post('/books/_flush');
    const before = test.cluster.services!.recoveries.copiedBytes;
    const { health, bytes } = await restart(test, replica);
    expect(health).toBe('green');
    expect(bytes).toBeGreaterThan(40_000);
    expect(test.cluster.services!.recoveries.copiedBytes - before).toBe(bytes);
  });

  it('a node that restarts with current leases replays the operations it missed and copies nothing', async () => {
    const { test, replica } = await withBooks();
    await test.post('/books/_flush');
    await test.clock.advance(75_000);
    const end = await restart(test, replica, () => test.post('/_bulk', bulk(1000, 220)));
    expect(end).toEqual({ health: 'green', bytes: 0, operations: 220 });
  });

  it('a node that restarts copies every byte when the primary was flushed far beyond its lease meanwhile', async () => {
    const { test, replica } = await withBooks();
    await test.clock.advance(75_000);
    const { bytes } = await restart(test, replica, async () => {
      await test.post('/_bulk', bulk(1000, 220));
      await test.post('/books/_flush');
    });
    expect(bytes).toBeGreaterThan(40_000);
  });

  it('the statistics of a shard show the retention leases, which follow every 30 seconds', async () => {
    const { test } = await withBooks();
    const read = async () => {
      const { indices } = (await test.get('/books/_stats?level=shards')).body;
      const [copy] = indices.books.shards['0'];
      return { max: copy.seq_no.max_seq_no, leases: copy.retention_leases.leases };
    };
    const first = await read();
    expect(first.max).toBe(999);
    expect(first.leases).toHaveLength(2);
    await test.clock.advance(30_000);
    const later = await read();
    expect(later.leases.map((lease: { retaining_seq_no: number }) => lease.retaining_seq_no)).toEqual([1000, 1000]);
    expect(later.leases[0]).toMatchObject({ id: expect.stringMatching(/^peer_recovery\//), source: 'peer recovery' });
  });
});

describe('nodes of two versions', () => {
  const upgrade = async (test: TestCluster, node: SearchNode, version: string) => {
    node.stop();
    node.install(version);
    await test.clock.advance(5000);
    node.start();
    await test.clock.advance(minute);
  };

  it('no replica goes to a node that is older than the node of its primary', async () => {
    const { test, primary, replica } = await withBooks('8.18.8');
    await upgrade(test, primary, '8.19.21');
    await upgrade(test, replica, '8.19.21');
    const old = test.nodes.find((node) => node !== primary && node !== replica)!;
    expect((await test.get('/_cluster/health')).body.status).toBe('green');
    expect((await test.get('/_nodes')).body.nodes[old.id].version).toBe('8.18.8');
    replica.stop();
    await test.clock.advance(10 * minute);
    expect((await test.get('/_cluster/health')).body.status).toBe('yellow');
    const why = (await test.post('/_cluster/allocation/explain', { index: 'books', shard: 0, primary: false })).body;
    const verdict = why.node_allocation_decisions.find((entry: { node_id: string }) => entry.node_id === old.id);
    expect(verdict.deciders.map((entry: { explanation: string }) => entry.explanation)).toContain(
      'cannot allocate replica shard to a node with version [8.18.8] since this is older than the primary version [8.19.21]',
    );

    await upgrade(test, old, '8.19.21');
    expect((await test.get('/_cluster/health')).body.status).toBe('green');
  });

  it('a process that is older than its data directory does not start', async () => {
    const { test, replica } = await withBooks();
    await upgrade(test, replica, '8.18.8');
    expect(replica.running).toBe(false);
    expect((await test.get('/_cat/nodes?h=name')).text.trim().split('\n')).toHaveLength(2);
  });

  it('a node cannot join a cluster whose nodes are all newer, nor one of a release it does not talk to', async () => {
    const { test } = await withBooks();
    const members = async () => (await test.get('/_cat/nodes?h=name')).text.trim().split('\n');
    test.cluster.addNode({ name: 'old', version: '8.18.8' });
    await test.clock.advance(5 * minute);
    expect(await members()).not.toContain('old');
    test.cluster.addNode({ name: 'new', version: '9.5.3' });
    await test.clock.advance(minute);
    expect(await members()).toContain('new');

    const older = await TestCluster.formed(3, { version: '8.18.8' });
    older.cluster.addNode({ name: 'far', version: '9.5.3' });
    await older.clock.advance(5 * minute);
    expect((await older.get('/_cat/nodes?h=name')).text).not.toContain('far');
  });
});

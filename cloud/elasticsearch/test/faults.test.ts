import { describe, expect, it } from 'vitest';
import { type Answer, TestCluster } from './search-support.ts';

const health = async (test: TestCluster) => (await test.get('/_cluster/health')).body;
const green = '/_cluster/health?wait_for_status=green&timeout=10m';

async function withBooks(settings: Record<string, unknown> = {}, count = 3): Promise<TestCluster> {
  const test = await TestCluster.formed(count);
  await test.put('/books', { settings: { number_of_shards: 1, number_of_replicas: 1, ...settings } });
  await test.get(green);
  return test;
}

const holderOf = async (test: TestCluster, prirep: 'p' | 'r') => {
  const rows = (await test.get('/_cat/shards/books?format=json&h=prirep,node')).body;
  return test.node(rows.find((row: { prirep: string }) => row.prirep === prirep).node);
};

/** Sends a request and measures the response time. */
async function timed(test: TestCluster, request: Promise<Answer>): Promise<{ answer: Answer; tookMs: number }> {
  const from = test.clock.now();
  const answer = await request;
  return { answer, tookMs: test.clock.now() - from };
}

describe('a node that crashes', () => {
  it('refuses connections, is gone from the list of nodes, and its replica waits for its return', async () => {
    const test = await withBooks();
    const node = await holderOf(test, 'r');
    node.crash();
    await expect(test.get('/', { node })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await test.clock.advance(1000);
    expect((await test.get('/_cat/nodes?h=name')).text).not.toContain(node.name);
    expect(await health(test)).toMatchObject({
      status: 'yellow',
      number_of_nodes: 2,
      unassigned_shards: 1,
      delayed_unassigned_shards: 1,
    });
    await test.clock.advance(120_000);
    expect(await health(test)).toMatchObject({ status: 'green', delayed_unassigned_shards: 0 });
  });

  it('a node that crashes silently is listed until its checks have timed out', async () => {
    const test = await withBooks();
    const node = await holderOf(test, 'r');
    node.crash({ silently: true });
    await test.clock.advance(10_000);
    expect((await health(test)).number_of_nodes).toBe(3);
    await test.clock.advance(60_000);
    expect((await health(test)).number_of_nodes).toBe(2);
  });
});

describe('a disk that is full', () => {
  it('takes no new shards above the low watermark, and explains that', async () => {
    const test = await TestCluster.formed(2);
    test.node('node-2').setFreeBytes(12e9);
    await test.clock.advance(60_000);
    await test.put('/books', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    await test.clock.advance(60_000);
    expect((await health(test)).status).toBe('yellow');
    const { body } = await test.post('/_cluster/allocation/explain', { index: 'books', shard: 0, primary: false });
    const decisions = body.node_allocation_decisions.flatMap(
      (node: { deciders: { decider: string; explanation: string }[] }) => node.deciders,
    );
    const full = decisions.find(({ decider }: { decider: string }) => decider === 'disk_threshold');
    expect(full.explanation).toMatch(/the node is above the low watermark cluster setting/);
  });

  it('sends shards away above the high watermark', async () => {
    const test = await withBooks({ number_of_replicas: 0 });
    const node = await holderOf(test, 'p');
    node.setFreeBytes(8e9);
    await test.clock.advance(180_000);
    expect((await holderOf(test, 'p')).name).not.toBe(node.name);
  });

  it('makes indices read-only above the flood stage, and writable again when there is space', async () => {
    const test = await withBooks({ number_of_replicas: 2 });
    for (const node of test.nodes) node.setFreeBytes(2e9);
    await test.clock.advance(60_000);
    const refused = await test.put('/books/_doc/1', {});
    expect(refused.status).toBe(429);
    expect(refused.body.error.reason).toMatch(/flood-stage watermark, index has read-only-allow-delete block/);
    for (const node of test.nodes) node.setFreeBytes(60e9);
    await test.clock.advance(60_000);
    expect((await test.put('/books/_doc/1', {})).status).toBe(201);
  });
});

describe('a slow recovery', () => {
  it('shows bytes and percent while it runs, and takes as long as its bandwidth says', async () => {
    const test = await withBooks({ number_of_replicas: 0 });
    test.cluster.inflate('books', 4e9);
    await test.put('/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '10mb' } });
    await test.put('/books/_settings', { number_of_replicas: 1 });
    await test.clock.advance(200_000);
    expect(await health(test)).toMatchObject({ status: 'yellow', initializing_shards: 1 });
    const running = (await test.get('/books/_recovery?active_only=true')).body.books.shards[0];
    expect(running).toMatchObject({ stage: 'INDEX', type: 'PEER' });
    expect(running.index.size.recovered_in_bytes).toBeGreaterThan(1.5e9);
    expect(running.index.size.recovered_in_bytes).toBeLessThan(2.5e9);
    await test.clock.advance(300_000);
    expect((await health(test)).status).toBe('green');
  });

  it('a recovery that runs takes a changed indices.recovery.max_bytes_per_sec at once', async () => {
    const test = await withBooks({ number_of_replicas: 0 });
    test.cluster.inflate('books', 4e9);
    await test.put('/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '1mb' } });
    await test.put('/books/_settings', { number_of_replicas: 1 });
    await test.clock.advance(10_000);
    await test.put('/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '100mb' } });
    await test.clock.advance(45_000);
    expect((await health(test)).status).toBe('green');
  });

  it('a replica that recovers from a primary that has moved begins again from the new one, and becomes green without the old node', async () => {
    const test = await TestCluster.formed(4, {}, (at) => (at === 1 ? { bytesPerSecond: 1e6 } : {}));
    const onlyOn = (names: string) => ({ 'index.routing.allocation.include._name': names });
    await test.put('/books', { settings: { number_of_shards: 1, number_of_replicas: 0, ...onlyOn('node-1') } });
    await test.get(green);
    test.cluster.inflate('books', 1e9);
    await test.put('/books/_settings', { number_of_replicas: 1, ...onlyOn('node-1,node-2') });
    await test.clock.advance(10_000);
    await test.put('/books/_settings', onlyOn('node-2,node-3'));
    await test.clock.advance(120_000);
    expect((await holderOf(test, 'p')).name).toBe('node-3');
    expect(await health(test)).toMatchObject({ status: 'yellow', initializing_shards: 1 });

    test.node('node-1').destroy();
    await test.clock.advance(30 * 60_000);

    expect((await health(test)).status).toBe('green');
  });

  it('recoveries into one node and out of it share its limit, and none is faster than the machine', async () => {
    const test = await TestCluster.formed(3, {}, () => ({ bytesPerSecond: 20e6 }));
    await test.put('/books', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
    await test.get(green);
    test.cluster.inflate('books', 4e9);
    await test.put('/books/_settings', { number_of_replicas: 2 });
    await test.clock.advance(200_000);
    const { shards } = (await test.get('/books/_recovery?active_only=true')).body.books;
    const copied = shards.map((shard: { index: { size: { recovered_in_bytes: number } } }) =>
      Math.round(shard.index.size.recovered_in_bytes / 1e8),
    );
    expect(copied).toEqual([20, 20]);
  });
});

describe('a partition', () => {
  it('leaves the smaller side without a master: it serves old reads and refuses to change anything', async () => {
    const test = await withBooks({ number_of_replicas: 2 });
    await test.put('/books/_doc/1?refresh=true', { title: 'One' });
    const alone = test.node('node-3');
    test.cluster.partition([alone]);
    await test.clock.advance(120_000);
    expect((await health(test)).number_of_nodes).toBe(2);
    const lost = await test.get('/_cluster/health?timeout=5s&master_timeout=5s', { node: alone });
    expect(lost.status).toBe(503);
    expect((await test.get('/books/_search', { node: alone })).body.hits.total.value).toBe(1);
    const write = await test.put('/books/_doc/2?timeout=5s', {}, { node: alone });
    expect(write.status).toBe(503);

    test.cluster.heal();
    await test.clock.advance(120_000);
    expect((await test.get('/_cluster/health', { node: alone })).body).toMatchObject({
      status: 'green',
      number_of_nodes: 3,
    });
  });
});

describe('a lost master', () => {
  it('a lost master is replaced within seconds, in a higher term', async () => {
    const test = await withBooks();
    const before = (await test.get('/_cluster/state/master_node,metadata')).body;
    test.node(before.master_node).crash();
    await test.clock.advance(10_000);
    const after = (await test.get('/_cluster/state/master_node,metadata')).body;
    expect(after.master_node).not.toBe(before.master_node);
    expect(after.metadata.cluster_coordination.term).toBeGreaterThan(before.metadata.cluster_coordination.term);
  });

  it('a master that returns is found by a node that was started meanwhile', async () => {
    const test = await TestCluster.formed(2, {}, (at) => ({ roles: at === 0 ? ['master'] : ['data'] }));
    test.node('node-1').crash();
    await test.clock.advance(5000);
    test.cluster.addNode({ name: 'late', roles: ['data'] });
    await test.clock.advance(60_000);

    test.node('node-1').start();
    await test.clock.advance(10_000);

    expect(test.node('late').attached).toBe(true);
  });

  it('a cluster without a master returns 503 with the reason after master_timeout', async () => {
    const test = await TestCluster.formed(2, {}, (at) => ({ roles: at === 0 ? ['master'] : ['data'] }));
    test.node('node-1').crash();
    await test.clock.advance(5000);
    const { answer, tookMs } = await timed(test, test.get('/_cluster/state?master_timeout=7s'));
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({ type: 'master_not_discovered_exception', reason: null });
    expect(tookMs).toBe(7000);
  });
});

describe('the fault plan', () => {
  it('a fault plan returns 503 for a named API the given number of times', async () => {
    const test = await TestCluster.formed(1);
    test.engine.faults.add({
      service: 'search',
      operation: 'cluster.health',
      times: 2,
      effect: { kind: 'error', status: 503 },
    });
    const statuses = [];
    for (let at = 0; at < 3; at++) statuses.push((await test.get('/_cluster/health')).status);
    expect(statuses).toEqual([503, 503, 200]);
    expect((await test.get('/')).status).toBe(200);
  });

  it('a fault plan can lose the response after the effect has happened', async () => {
    const test = await TestCluster.formed(1);
    test.engine.faults.add({
      service: 'search',
      operation: 'index',
      times: 1,
      effect: { kind: 'error', status: 503, phase: 'after' },
    });
    expect((await test.put('/books/_doc/1', {})).status).toBe(503);
    expect((await test.get('/books/_doc/1')).body.found).toBe(true);
  });

  it('a fault plan slows the responses of one node', async () => {
    const test = await TestCluster.formed(2);
    test.engine.faults.add({ service: 'search', subject: 'node-2', effect: { kind: 'slow', ms: 25_000 } });
    const near = await timed(test, test.get('/_cluster/health', { node: test.node('node-1') }));
    const far = await timed(test, test.get('/_cluster/health', { node: test.node('node-2') }));
    expect(near.tookMs).toBeLessThan(1000);
    expect(far.tookMs).toBeGreaterThanOrEqual(25_000);
    expect(far.answer.status).toBe(200);
  });

  it('a fault plan that throttles returns 429 like a full queue', async () => {
    const test = await TestCluster.formed(1);
    test.engine.faults.add({ service: 'search', operation: 'bulk', effect: { kind: 'throttle' } });
    const answer = await test.post('/_bulk', '{"index":{"_index":"books"}}\n{}\n');
    expect(answer.status).toBe(429);
    expect(answer.body.error.type).toBe('es_rejected_execution_exception');
  });
});

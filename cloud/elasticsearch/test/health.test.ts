import { describe, expect, it } from 'vitest';
import { serveNode } from '../src/serving-cluster.ts';
import { TestCluster } from './search-support.ts';

const health = async (test: TestCluster) => (await test.get('/_cluster/health')).body;

/** Three nodes of which one only votes, and an index of four copies. */
async function withBooks(): Promise<TestCluster> {
  const test = await TestCluster.formed(3, { clusterName: 'library' }, (at) => ({
    roles: at === 2 ? ['master'] : ['master', 'data'],
  }));
  await test.put('/books', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await test.get('/_cluster/health?wait_for_status=green&timeout=60s');
  return test;
}

describe('the health of a cluster', () => {
  it('cluster health has the name, the status, the nodes and the shards', async () => {
    const test = await withBooks();
    expect(await health(test)).toEqual({
      cluster_name: 'library',
      status: 'green',
      timed_out: false,
      number_of_nodes: 3,
      number_of_data_nodes: 2,
      active_primary_shards: 2,
      active_shards: 4,
      relocating_shards: 0,
      initializing_shards: 0,
      unassigned_shards: 0,
      unassigned_primary_shards: 0,
      delayed_unassigned_shards: 0,
      number_of_pending_tasks: 0,
      number_of_in_flight_fetch: 0,
      task_max_waiting_in_queue_millis: 0,
      active_shards_percent_as_number: 100,
    });
  });

  it('cluster health counts data nodes apart from nodes, and is yellow without a replica and red without a primary', async () => {
    const test = await withBooks();
    test.node('node-2').crash();
    await test.clock.advance(1000);
    expect(await health(test)).toMatchObject({ status: 'yellow', number_of_nodes: 2, number_of_data_nodes: 1 });
    expect(await health(test)).toMatchObject({
      active_primary_shards: 2,
      active_shards: 2,
      unassigned_shards: 2,
      active_shards_percent_as_number: 50,
    });
    // Documents written now are not on the disk of node-2, so its copies do not count any more.
    for (const id of ['1', '2', '3', '4']) await test.put(`/books/_doc/${id}`, {});
    test.node('node-1').crash();
    test.node('node-2').start();
    await test.clock.advance(10_000);
    expect(await health(test)).toMatchObject({ status: 'red', number_of_data_nodes: 1 });
  });

  it('cluster health counts relocating and initializing shards', async () => {
    const test = await TestCluster.formed(3);
    const only = { 'index.routing.allocation.require._name': 'node-1' };
    await test.put('/books', { settings: { number_of_shards: 1, number_of_replicas: 0, ...only } });
    await test.put('/films', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
    await test.clock.advance(10_000);
    test.cluster.inflate('books', 4e9);
    test.cluster.inflate('films', 4e9);
    await test.put('/books/_settings', { 'index.routing.allocation.require._name': 'node-2' });
    await test.put('/films/_settings', { number_of_replicas: 1 });
    await test.clock.advance(5000);
    // A shard that moves is active all the while.
    expect(await health(test)).toMatchObject({ relocating_shards: 1, initializing_shards: 1, active_shards: 2 });
    await test.clock.advance(600_000);
    expect(await health(test)).toMatchObject({ status: 'green', relocating_shards: 0, initializing_shards: 0 });
  });

  it('cluster health is one line, or indented with pretty', async () => {
    const test = await withBooks();
    expect((await test.get('/_cluster/health')).text).toMatch(/^\{"cluster_name":"library","status":"green",.*\}$/);
    const pretty = (await test.get('/_cluster/health?pretty')).text;
    expect(pretty).toMatch(/^\{\n {2}"cluster_name" : "library",\n {2}"status" : "green",\n/);
    expect(JSON.parse(pretty)).toEqual(await health(test));
  });
});

describe('the nodes of a cluster', () => {
  it('cat nodes is a plain table, with column names when v is given', async () => {
    const test = await withBooks();
    const bare = await test.get('/_cat/nodes');
    expect(bare.headers['content-type']).toMatch(/^text\/plain/);
    expect(bare.text.trimEnd().split('\n')).toHaveLength(3);
    const [head, ...rows] = (await test.get('/_cat/nodes?v')).text.trimEnd().split('\n');
    expect(head).toMatch(
      /^ip +heap\.percent +ram\.percent +cpu +load_1m +load_5m +load_15m +node\.role +master +name$/,
    );
    expect(rows.map((row) => row.split(/ +/).at(-1)).sort()).toEqual(['node-1', 'node-2', 'node-3']);
    expect(rows.filter((row) => / \* /.test(row))).toHaveLength(1);
  });
});

describe('the settings of a cluster', () => {
  it('cluster settings are JSON of what was set, indented with pretty', async () => {
    const test = await withBooks();
    expect((await test.get('/_cluster/settings')).body).toEqual({ persistent: {}, transient: {} });
    expect((await test.get('/_cluster/settings?pretty')).text).toBe(
      '{\n  "persistent" : { },\n  "transient" : { }\n}\n',
    );
  });

  it('cluster settings take a persistent map and apply it: with allocation disabled a new replica stays unassigned', async () => {
    const test = await withBooks();
    const name = 'cluster.routing.allocation.enable';
    const { body } = await test.put('/_cluster/settings', { persistent: { [name]: 'primaries' } });
    expect(body).toEqual({
      acknowledged: true,
      persistent: { cluster: { routing: { allocation: { enable: 'primaries' } } } },
      transient: {},
    });
    expect((await test.get('/_cluster/settings?flat_settings=true')).body.persistent).toEqual({ [name]: 'primaries' });
    await test.put('/films', { settings: { number_of_replicas: 1 } });
    await test.clock.advance(60_000);
    expect(await health(test)).toMatchObject({ status: 'yellow', unassigned_shards: 1 });

    await test.put('/_cluster/settings', { persistent: { [name]: null } });
    await test.clock.advance(60_000);
    expect((await health(test)).status).toBe('green');
    const bad = await test.put('/_cluster/settings', { persistent: { [name]: 'nonsense' } });
    expect(bad.status).toBe(400);
  });
});

it('serves the API of a node over HTTP at an address', async () => {
  const test = await withBooks();
  const served = await serveNode(test.node('node-1'));
  try {
    const answer = await fetch(`${served.url}/_cluster/health`);
    expect(answer.headers.get('x-elastic-product')).toBe('Elasticsearch');
    expect(await answer.json()).toMatchObject({ cluster_name: 'library', status: 'green' });
    const head = await fetch(served.url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  } finally {
    await served.close();
  }
});

it("a load balancer that asks a node again and again sees each change of the cluster, of the node's rights, and a fault", async () => {
  const roles = { watch: { cluster: ['cluster:monitor/health', 'cluster:monitor/state'] } };
  const security = { bootstrapPassword: 'changeme', roles, anonymous: { roles: ['watch'] } };
  const test = await TestCluster.formed(3, { security });
  const [node] = test.nodes;
  const probe = async () => {
    const { status, body } = await test.ask('GET', '/_cluster/health?local=true', { node: node! });
    return [status, body?.status, body?.number_of_nodes];
  };
  expect([await probe(), await probe()]).toEqual([
    [200, 'green', 3],
    [200, 'green', 3],
  ]);

  const heal = test.engine.faults.add({ service: 'search', times: 1, effect: { kind: 'error', status: 503 } });
  expect((await probe())[0]).toBe(503);
  heal();
  expect(await probe()).toEqual([200, 'green', 3]);

  test.node('node-3').crash();
  await test.clock.advance(1000);
  expect(await probe()).toEqual([200, 'green', 2]);

  test.node('node-2').crash();
  await test.clock.advance(1000);
  expect(await probe()).toEqual([200, 'red', 2]);
  test.node('node-2').start();
  await test.clock.advance(60_000);
  expect(await probe()).toEqual([200, 'green', 2]);

  Object.assign(node!.options, { security: { ...security, anonymous: { roles: [] } } });
  expect((await probe())[0]).toBe(401);
});

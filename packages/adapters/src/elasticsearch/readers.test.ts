import { describe, expect, it } from 'vitest';
import type { SearchClient } from './client/client.ts';
import { UnreadableAnswer } from './client/errors.ts';
import { electedMaster, healthReader, healthWithoutDrills, readLastVotes, topologyReader } from './cluster.ts';
import { diskReader } from './disks.ts';
import { shutdownRecords, votingExclusions } from './node-shutdown.ts';
import { snapshotHistory } from './policies.ts';
import { pressureReader } from './pressure.ts';
import { allocationExplainer, failedShardRetry, nodeLoadReader, recoveryReader, shardLister } from './shards.ts';
import { testClient } from './test-client.test-support.ts';

const health = {
  cluster_name: 'search',
  status: 'yellow',
  number_of_nodes: 6,
  number_of_data_nodes: 3,
  relocating_shards: 1,
  initializing_shards: 2,
  unassigned_shards: 3,
};
const node = { name: 'data-1', transport_address: 'data-1/10.0.1.1:9300', roles: ['data', 'ingest'] };
const decisions = [
  {
    node_id: 'b',
    node_name: 'data-2',
    node_decision: 'no',
    deciders: [
      { decider: 'filter', decision: 'NO', explanation: 'the node does not match' },
      { decider: 'throttling', decision: 'THROTTLE', explanation: 'busy' },
    ],
  },
  { node_id: 'c', node_name: 'data-3', node_decision: 'throttled' },
];
const verdicts = [
  {
    nodeId: 'b',
    nodeName: 'data-2',
    possible: false,
    against: [{ decider: 'filter', explanation: 'the node does not match' }],
  },
  { nodeId: 'c', nodeName: 'data-3', possible: true, against: [] },
];
const shutdown = {
  node_id: 'a',
  type: 'REMOVE',
  reason: 'refresh',
  shutdown_startedmillis: 5,
  status: 'STALLED',
  shard_migration: {
    status: 'STALLED',
    shard_migrations_remaining: 2,
    explanation: 'shard [0] [primary] of index [logs] cannot move',
    node_allocation_decision: { node_allocation_decisions: decisions },
  },
};
const recovery = (target: string, stage: string, total: number, recovered: number) => ({
  stage,
  target: { id: target },
  index: { size: { total_in_bytes: total, recovered_in_bytes: recovered } },
});

type Row = readonly [
  title: string,
  read: (client: SearchClient) => Promise<unknown>,
  body: unknown,
  request: string,
  expected: unknown,
];

const rows: readonly Row[] = [
  [
    'the health',
    (client) => healthReader(client).health(),
    health,
    'GET /_cluster/health',
    {
      clusterName: 'search',
      status: 'yellow',
      nodes: 6,
      dataNodes: 3,
      relocatingShards: 1,
      initializingShards: 2,
      unassignedShards: 3,
      delayedShards: 0,
    },
  ],
  [
    'the health without the copies of restore drills',
    async (client) => (await healthWithoutDrills(client).health()).status,
    health,
    'GET /_cluster/health/*,-drover-drill-*',
    'yellow',
  ],
  [
    'the topology of a formed cluster',
    (client) => topologyReader(client).topology(),
    { cluster_name: 'search', cluster_uuid: 'u', nodes: { a: node, b: { ...node, transport_address: '[::1]:9300' } } },
    'GET /_cluster/state/nodes?filter_path=cluster_name,cluster_uuid,nodes',
    {
      clusterName: 'search',
      clusterUuid: 'u',
      nodes: [
        { id: 'a', name: 'data-1', ip: '10.0.1.1', roles: ['data', 'ingest'] },
        { id: 'b', name: 'data-1', ip: '::1', roles: ['data', 'ingest'] },
      ],
    },
  ],
  [
    'the topology of a cluster that has not formed, without a UUID',
    (client) => topologyReader(client).topology(),
    { cluster_name: 'search', cluster_uuid: '_na_', nodes: {} },
    'GET /_cluster/state/nodes?filter_path=cluster_name,cluster_uuid,nodes',
    { clusterName: 'search', clusterUuid: undefined, nodes: [] },
  ],
  [
    'shutdown records with the decisions about the stalled shard',
    (client) => shutdownRecords(client).list(),
    { nodes: [shutdown] },
    'GET /_nodes/shutdown',
    [
      {
        nodeId: 'a',
        type: 'REMOVE',
        reason: 'refresh',
        startedAt: 5,
        status: 'STALLED',
        shardsRemaining: 2,
        explanation: 'shard [0] [primary] of index [logs] cannot move',
        verdicts,
      },
    ],
  ],
  [
    'a shutdown record that says nothing about shards',
    (client) => shutdownRecords(client).list(),
    { nodes: [{ ...shutdown, type: 'restart', status: 'COMPLETE', shard_migration: { status: 'COMPLETE' } }] },
    'GET /_nodes/shutdown',
    [
      {
        nodeId: 'a',
        type: 'RESTART',
        reason: 'refresh',
        startedAt: 5,
        status: 'COMPLETE',
        shardsRemaining: 0,
        explanation: undefined,
        verdicts: [],
      },
    ],
  ],
  [
    'the explanation of a shard',
    (client) => allocationExplainer(client).explain({ index: 'logs', shard: 0, primary: true }),
    { node_allocation_decisions: decisions },
    'POST /_cluster/allocation/explain {"index":"logs","shard":0,"primary":true}',
    verdicts,
  ],
  [
    'shards, with the numbers that the cat API writes as text',
    (client) => shardLister(client).shards(),
    [
      { index: 'logs', shard: '0', prirep: 'p', state: 'STARTED', id: 'a', store: '12' },
      { index: 'logs', shard: '0', prirep: 'r', state: 'UNASSIGNED', id: null, store: null },
    ],
    'GET /_cat/shards?format=json&bytes=b&h=index,shard,prirep,state,id,store',
    [
      { index: 'logs', shard: 0, primary: true, state: 'STARTED', nodeId: 'a', bytes: 12 },
      { index: 'logs', shard: 0, primary: false, state: 'UNASSIGNED', nodeId: undefined, bytes: 0 },
    ],
  ],
  [
    'the load of one node, without the row of unassigned shards',
    (client) => nodeLoadReader(client).loadOf('a/b'),
    [
      { node: 'UNASSIGNED', shards: '9', 'disk.indices': null },
      { node: 'data-1', shards: '3', 'disk.indices': '77' },
    ],
    'GET /_cat/allocation/a%2Fb?format=json&bytes=b&h=node,shards,disk.indices',
    { shards: 3, bytes: 77 },
  ],
  [
    'the load of a node that holds nothing',
    (client) => nodeLoadReader(client).loadOf('a'),
    [],
    'GET /_cat/allocation/a?format=json&bytes=b&h=node,shards,disk.indices',
    { shards: 0, bytes: 0 },
  ],
  [
    'the disks of all nodes but frozen ones, whose disk is a cache',
    (client) => diskReader(client).disks(),
    {
      nodes: {
        a: { roles: ['data'], fs: { total: { total_in_bytes: 100, available_in_bytes: 40 } } },
        b: { roles: ['data_frozen'], fs: { total: { total_in_bytes: 100, available_in_bytes: 9 } } },
        c: { roles: ['data_hot', 'ingest'] },
      },
    },
    'GET /_nodes/stats/fs?filter_path=nodes.*.fs.total,nodes.*.roles',
    [{ nodeId: 'a', totalBytes: 100, availableBytes: 40 }],
  ],
  [
    'heaps and refusals of all nodes; one without a pool has refused nothing',
    (client) => pressureReader(client).pressure(),
    {
      nodes: {
        a: {
          jvm: { mem: { heap_used_percent: 71 } },
          thread_pool: { write: { rejected: 2 }, search: { rejected: 3 } },
        },
        b: { jvm: { mem: { heap_used_percent: 40 } } },
      },
    },
    'GET /_nodes/stats/jvm,thread_pool?filter_path=nodes.*.jvm.mem.heap_used_percent,nodes.*.thread_pool.write.rejected,nodes.*.thread_pool.search.rejected',
    [
      { nodeId: 'a', heapPercent: 71, rejected: 5 },
      { nodeId: 'b', heapPercent: 40, rejected: 0 },
    ],
  ],
  [
    'the indices that Elasticsearch does not write to',
    (client) => pressureReader(client).blockedIndices(),
    {
      docs: { settings: { 'index.blocks.read_only_allow_delete': 'true' } },
      logs: { settings: { 'index.blocks.read_only_allow_delete': 'false' } },
      news: { settings: {} },
    },
    'GET /_all/_settings/index.blocks.read_only_allow_delete?expand_wildcards=all&flat_settings=true',
    ['docs'],
  ],
  [
    'disk settings: transient before persistent before default ones',
    (client) => diskReader(client).settings(),
    {
      transient: { 'cluster.routing.allocation.disk.watermark.low': '90%' },
      persistent: {
        'cluster.routing.allocation.disk.watermark.low': '80%',
        'cluster.routing.allocation.disk.threshold_enabled': 'false',
      },
      defaults: {
        'cluster.routing.allocation.disk.threshold_enabled': 'true',
        'cluster.routing.allocation.disk.watermark.low.max_headroom': '200GB',
        'cluster.routing.allocation.node_concurrent_incoming_recoveries': '2',
        'cluster.routing.allocation.node_concurrent_outgoing_recoveries': '3',
        'indices.recovery.max_bytes_per_sec': '40mb',
        // From elasticsearch.yml of the node that is asked.
        'cluster.routing.allocation.awareness.force.zone.values': ['a', 'b'],
      },
    },
    'GET /_cluster/settings?include_defaults=true&flat_settings=true',
    {
      enabled: false,
      low: '90%',
      lowMaxHeadroom: '200GB',
      maxBytesPerSec: '40mb',
      concurrentIncoming: '2',
      concurrentOutgoing: '3',
      forcedZones: ['a', 'b'],
    },
  ],
  [
    'recoveries whose target is this node and that are not done',
    (client) => recoveryReader(client).recoveriesTo('a'),
    {
      logs: { shards: [recovery('a', 'INDEX', 10, 4), recovery('b', 'INDEX', 100, 0)] },
      more: { shards: [recovery('a', 'DONE', 50, 50), recovery('a', 'TRANSLOG', 5, 5)] },
    },
    'GET /_recovery?active_only=true',
    { active: 2, bytesTotal: 15, bytesRecovered: 9 },
  ],
  [
    'what recoveries that still run have copied',
    (client) => recoveryReader(client).bytesInFlight(),
    {
      logs: { shards: [recovery('a', 'INDEX', 10, 4), recovery('b', 'INDEX', 100, 7)] },
      more: { shards: [recovery('a', 'DONE', 50, 50)] },
    },
    'GET /_recovery?active_only=true',
    11,
  ],
  [
    'the voting configuration and its exclusions',
    (client) => votingExclusions(client).read(),
    {
      metadata: {
        cluster_coordination: {
          last_committed_config: ['m1', 'm2'],
          voting_config_exclusions: [{ node_id: 'm3', node_name: 'master-3' }],
        },
      },
    },
    'GET /_cluster/state/metadata?filter_path=metadata.cluster_coordination',
    { committed: ['m1', 'm2'], exclusions: [{ nodeId: 'm3', nodeName: 'master-3' }] },
  ],
  [
    'who votes, without an elected master',
    readLastVotes,
    {
      metadata: { cluster_coordination: { last_committed_config: ['m1', 'gone'] } },
      nodes: { m1: { transport_address: '10.0.1.1:9300' } },
    },
    'GET /_cluster/state/metadata,nodes?local=true&filter_path=metadata.cluster_coordination.last_committed_config,nodes.*.transport_address',
    { committed: ['m1', 'gone'], nodes: [{ id: 'm1', ip: '10.0.1.1' }] },
  ],
  [
    'the elected master',
    (client) => electedMaster(client).masterNodeId(),
    { master_node: 'm1' },
    'GET /_cluster/state/master_node?filter_path=master_node',
    'm1',
  ],
  [
    'the last success of each snapshot policy',
    (client) => snapshotHistory(client).policyRuns(),
    { hourly: { modified_date_millis: 1, last_success: { time: 2 } }, daily: { modified_date_millis: 3 } },
    'GET /_slm/policy?filter_path=*.modified_date_millis,*.last_success.time',
    [
      { id: 'hourly', changedAt: 1, lastSuccessAt: 2 },
      { id: 'daily', changedAt: 3, lastSuccessAt: undefined },
    ],
  ],
];

describe('readers of Elasticsearch', () => {
  it.each(rows)('read %s', async (_title, read, body, request, expected) => {
    const { client, requests } = testClient({ body });

    expect(await read(client)).toEqual(expected);
    expect(requests).toEqual([request]);
  });

  const garbage: readonly [string, unknown][] = [
    ['null', null],
    ['a number', 7],
    ['a list of a wrong kind', [1]],
    [
      'an object of a wrong kind',
      { nodes: 1, status: 'purple', metadata: 1, master_node: 1, logs: 1, node_allocation_decisions: 1 },
    ],
    ['text that is not JSON', 'oops'],
  ];
  it.each(garbage)('readers of Elasticsearch never take %s for a good response', async (_title, body) => {
    for (const [title, read] of rows) {
      const failure = await read(testClient({ body }).client).then(
        (value) => ({ title, value }),
        (error: unknown) => error,
      );
      // Settings that are not set are left out of the response.
      if (!title.startsWith('disk settings') || failure instanceof Error)
        expect(failure, title).toBeInstanceOf(UnreadableAnswer);
    }
  });
});

it('a node that has never been in the cluster does not say who votes', async () => {
  const body = { metadata: { cluster_coordination: { last_committed_config: [] } } };

  await expect(readLastVotes(testClient({ body }).client)).rejects.toThrow('never been in the cluster');
});

describe('writers of Elasticsearch', () => {
  it.each<readonly [string, (client: SearchClient) => Promise<void>, string]>([
    [
      'register a shutdown',
      (client) => shutdownRecords(client).register('a/b', 'why'),
      'PUT /_nodes/a%2Fb/shutdown {"type":"remove","reason":"why"}',
    ],
    ['withdraw a shutdown', (client) => shutdownRecords(client).withdraw('a'), 'DELETE /_nodes/a/shutdown'],
    [
      'exclude a master from voting',
      (client) => votingExclusions(client).exclude('m1'),
      'POST /_cluster/voting_config_exclusions?node_ids=m1&timeout=30s',
    ],
    [
      'clear the voting exclusions without waiting for the nodes to leave',
      (client) => votingExclusions(client).clear(),
      'DELETE /_cluster/voting_config_exclusions?wait_for_removal=false',
    ],
    [
      'retry failed shards',
      (client) => failedShardRetry(client).retryFailedShards(),
      'POST /_cluster/reroute?retry_failed=true&metric=none',
    ],
  ])('%s', async (_title, write, request) => {
    const { client, requests } = testClient({ body: { acknowledged: true } });

    await write(client);

    expect(requests).toEqual([request]);
  });

  it('withdrawing a shutdown record that is gone is no failure', async () => {
    const missing = { status: 404, body: { error: { type: 'resource_not_found_exception', reason: 'gone' } } };

    await expect(shutdownRecords(testClient(missing).client).withdraw('a')).resolves.toBeUndefined();
    await expect(shutdownRecords(testClient(missing).client).list()).rejects.toThrow('gone');
  });
});

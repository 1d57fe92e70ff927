import { type Document, Double } from '@drover/formats';
import { clusterHealth } from '../../../engine/coordination/health.ts';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import { sumCopies } from '../../../engine/documents/store-totals.ts';
import { numberOfReplicas, numberOfShards } from '../../../engine/state/index-metadata.ts';
import { isActive } from '../../../engine/state/shard.ts';
import type { Call } from '../../call.ts';
import { activeStores } from '../../cat/cat-indices.ts';
import { withHuman } from '../../responses/human.ts';
import { nodeUsage } from '../../responses/node-usage.ts';
import { patched, zeroStatistics } from '../../responses/statistics.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { askedNodes, pluginInfo } from '../nodes/nodes-info.ts';
import { memoryBody } from '../nodes/nodes-stats.ts';

export const clusterStatsRoutes: readonly Endpoint[] = [
  {
    api: 'cluster.stats',
    action: 'cluster:monitor/stats',
    run: stats,
  },
];

async function stats(call: Call): Promise<Reply> {
  const services = await call.master();
  const { state } = services.core;
  const { nodes, head } = askedNodes(call, call.list('node_id'));
  const sections = patched(zeroStatistics('cluster', call.version), {
    indices: indicesBody(call, services),
    nodes: nodesBody(call, nodes),
    snapshots: { current_counts: { snapshots: services.snapshots.running.length } },
    repositories: repositoryCounts(services),
  });
  return {
    body: withHuman(call, {
      ...head,
      cluster_uuid: state.clusterUUID,
      timestamp: call.now,
      status: clusterHealth(state, [...state.indices.values()]).status,
      ...sections,
    }),
  };
}

function repositoryCounts(services: MasterServices): Document {
  const counts: Record<string, Document> = {};
  for (const { type } of services.core.state.repositories.values())
    counts[type] = { count: ((counts[type]?.count as number | undefined) ?? 0) + 1 };
  return counts;
}

function indicesBody(call: Call, services: MasterServices): Document {
  const { state } = services.core;
  const indices = [...state.indices.values()];
  const stores = indices.map((index) => activeStores(services, index, call.now));
  const primaries = sumCopies(stores.flatMap((entry) => entry.primaries));
  const all = sumCopies(stores.flatMap((entry) => entry.all));
  const version = {
    version: call.version,
    index_count: indices.length,
    primary_shard_count: primaries.shards,
    total_primary_bytes: primaries.bytes,
  };
  return {
    count: indices.length,
    shards: shardsBody(services),
    docs: { count: primaries.docs, deleted: primaries.deleted, total_size_in_bytes: primaries.bytes },
    store: { size_in_bytes: all.bytes, total_data_set_size_in_bytes: all.bytes },
    segments: { count: all.segments },
    versions: indices.length === 0 ? [] : [version],
  };
}

function shardsBody(services: MasterServices): Document {
  const { state } = services.core;
  const copies = [...state.routing.values()].flat(2).filter(isActive);
  if (copies.length === 0) return {};
  const primaries = copies.filter((copy) => copy.primary).length;
  const each = [...state.indices.values()].map((index) => ({
    shards: numberOfShards(index) * (1 + numberOfReplicas(index)),
    primaries: numberOfShards(index),
    replication: numberOfReplicas(index),
  }));
  const spread = (values: readonly number[]) => ({
    min: Math.min(...values),
    max: Math.max(...values),
    avg: new Double(values.reduce((sum, value) => sum + value, 0) / values.length),
  });
  const doubles = (values: readonly number[]) => {
    const { min, max, avg } = spread(values);
    return { min: new Double(min), max: new Double(max), avg };
  };
  return {
    total: copies.length,
    primaries,
    replication: new Double((copies.length - primaries) / primaries),
    index: {
      shards: spread(each.map(({ shards }) => shards)),
      primaries: spread(each.map((entry) => entry.primaries)),
      replication: doubles(each.map(({ replication }) => replication)),
    },
  };
}

const roleNames = [
  'coordinating_only',
  'data',
  'data_cold',
  'data_content',
  'data_frozen',
  'data_hot',
  'data_warm',
  'index',
  'ingest',
  'master',
  'ml',
  'remote_cluster_client',
  'search',
  'transform',
  'voting_only',
];

function nodesBody(call: Call, nodes: ReturnType<typeof askedNodes>['nodes']): Document {
  const sum = (value: (node: (typeof nodes)[number]) => number) =>
    nodes.reduce((total, node) => total + value(node), 0);
  const usage = nodes.map((node) => nodeUsage(call.cluster, node, call.now));
  const [total, used] = [
    usage.reduce((bytes, { memoryTotal }) => bytes + memoryTotal, 0),
    usage.reduce((bytes, { memoryUsed }) => bytes + memoryUsed, 0),
  ];
  const percent = total === 0 ? 0 : Math.round((used * 100) / total);
  const count = (role: string) =>
    nodes.filter(({ roles }) => (role === 'coordinating_only' ? roles.length === 0 : roles.includes(role))).length;
  const files = usage.map(({ openFiles }) => openFiles);
  const installed = call.cluster.options.plugins ?? [];
  return {
    count: {
      total: nodes.length,
      ...Object.fromEntries(
        roleNames
          .filter((role) => call.major >= 8 || !['data_frozen', 'index', 'search'].includes(role))
          .map((role) => [role, count(role)]),
      ),
    },
    versions: [...new Set(nodes.map((node) => node.version))],
    os: {
      available_processors: nodes.length * 2,
      allocated_processors: nodes.length * 2,
      names: [{ name: 'Linux', count: nodes.length }],
      pretty_names: [{ pretty_name: 'Debian GNU/Linux 12 (bookworm)', count: nodes.length }],
      architectures: [{ arch: 'amd64', count: nodes.length }],
      mem: memoryBody(total, used, percent),
    },
    process: {
      open_file_descriptors: {
        min: Math.min(...files),
        max: Math.max(...files),
        avg: Math.round(files.reduce((a, b) => a + b, 0) / Math.max(1, files.length)),
      },
    },
    jvm: {
      max_uptime_in_millis: Math.max(0, ...nodes.map((node) => call.now - node.startedAtMs)),
      versions: [
        {
          version: usage[0]?.jdk ?? '24',
          vm_name: 'OpenJDK 64-Bit Server VM',
          vm_version: '24+36',
          vm_vendor: 'Oracle Corporation',
          bundled_jdk: true,
          using_bundled_jdk: true,
          count: nodes.length,
        },
      ],
      mem: {
        heap_used_in_bytes: usage.reduce((bytes, { heapUsed }) => bytes + heapUsed, 0),
        heap_max_in_bytes: sum((node) => node.heapBytes),
      },
      threads: nodes.length * 40,
    },
    fs: {
      total_in_bytes: sum((node) => node.diskBytes),
      free_in_bytes: sum((node) => node.freeBytes),
      available_in_bytes: sum((node) => node.freeBytes),
    },
    plugins: installed.map((name) => pluginInfo(call.version, name)),
    network_types: { transport_types: { security4: nodes.length }, http_types: { security4: nodes.length } },
    discovery_types: { [call.major >= 8 ? 'multi-node' : 'zen']: nodes.length },
    packaging_types: [{ flavor: 'default', type: 'deb', count: nodes.length }],
  };
}

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
  const replication = spread(each.map((entry) => entry.replication));
  return {
    total: copies.length,
    primaries,
    replication: new Double((copies.length - primaries) / primaries),
    index: {
      shards: spread(each.map(({ shards }) => shards)),
      primaries: spread(each.map((entry) => entry.primaries)),
      replication: { ...replication, min: new Double(replication.min), max: new Double(replication.max) },
    },
  };
}

type Nodes = ReturnType<typeof askedNodes>['nodes'];

function nodesBody(call: Call, nodes: Nodes): Document {
  const usage = nodes.map((node) => nodeUsage(call.cluster, node, call.now));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const [total, used] = [sum(usage.map((of) => of.memoryTotal)), sum(usage.map((of) => of.memoryUsed))];
  const files = usage.map(({ openFiles }) => openFiles);
  const free = sum(nodes.map((node) => node.freeBytes));
  const count = nodes.length;
  return {
    count: roleCounts(call, nodes),
    versions: [...new Set(nodes.map((node) => node.version))],
    os: {
      available_processors: count * 2,
      allocated_processors: count * 2,
      names: [{ name: 'Linux', count }],
      pretty_names: [{ pretty_name: 'Debian GNU/Linux 12 (bookworm)', count }],
      architectures: [{ arch: 'amd64', count }],
      mem: memoryBody(total, used, total === 0 ? 0 : Math.round((used * 100) / total)),
    },
    process: {
      open_file_descriptors: {
        min: Math.min(...files),
        max: Math.max(...files),
        avg: Math.round(sum(files) / Math.max(1, files.length)),
      },
    },
    jvm: {
      max_uptime_in_millis: Math.max(0, ...nodes.map((node) => call.now - node.startedAtMs)),
      versions: [{ ...zeroStatistics('virtualMachine', call.version), version: usage[0]?.jdk ?? '24', count }],
      mem: {
        heap_used_in_bytes: sum(usage.map(({ heapUsed }) => heapUsed)),
        heap_max_in_bytes: sum(nodes.map((node) => node.heapBytes)),
      },
      threads: count * 40,
    },
    fs: {
      total_in_bytes: sum(nodes.map((node) => node.diskBytes)),
      free_in_bytes: free,
      available_in_bytes: free,
    },
    plugins: (call.cluster.options.plugins ?? []).map((name) => pluginInfo(call.version, name)),
    network_types: { transport_types: { security4: count }, http_types: { security4: count } },
    discovery_types: { [call.major >= 8 ? 'multi-node' : 'zen']: count },
    packaging_types: [{ flavor: 'default', type: 'deb', count }],
  };
}

/** How many nodes have each role that the version knows. */
function roleCounts(call: Call, nodes: Nodes): Document {
  const has = (role: string) => (node: Nodes[number]) =>
    role === 'total' || (role === 'coordinating_only' ? node.roles.length === 0 : node.roles.includes(role));
  const template = zeroStatistics('cluster', call.version) as { readonly nodes: { readonly count: Document } };
  return Object.fromEntries(Object.keys(template.nodes.count).map((role) => [role, nodes.filter(has(role)).length]));
}

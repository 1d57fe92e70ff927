import type { Document, Value } from '@drover/formats';
import type { SearchNode } from '../../../engine/coordination/search-node.ts';
import { type DiscoveryNode, nodeLabel, transportAddress } from '../../../engine/state/node-info.ts';
import { selectNodes } from '../../../engine/state/select-nodes.ts';
import { indexVersionId, transportVersion } from '../../../engine/state/versions.ts';
import { flattenSettings, nestSettings } from '../../../engine/values/flat-settings.ts';
import { isoTime } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { withHuman } from '../../responses/human.ts';
import { buildHash, nodeUsage } from '../../responses/node-usage.ts';
import { chooseSections } from '../../responses/stat-sections.ts';
import { modules, patched, zeroStatistics } from '../../responses/statistics.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { nodeConfig } from './node-config.ts';

/** HotSpot addresses 2^32 objects of 8 bytes with compressed pointers, less a page for null (JDK, `max_heap_for_compressed_oops`). */
const compressedPointersBytes = 32 * 1024 ** 3;

export const nodesInfoRoutes: readonly Endpoint[] = [
  {
    api: 'nodes.info',
    action: 'cluster:monitor/nodes/info',
    only: [
      'GET /_nodes',
      'GET /_nodes/{node_id}',
      'GET /_nodes/{node_id}/{metric}',
      'GET /_nodes/{node_id}/info/{metric}',
    ],
    run: info,
  },
  {
    api: 'nodes.hot_threads',
    action: 'cluster:monitor/nodes/hot_threads',
    run: hotThreads,
  },
];

/** Nodes that a request is about, asked over the network: those that cannot be reached have failed. */
export function askedNodes(call: Call, filters: readonly string[]): { nodes: SearchNode[]; head: Document } {
  const state = call.localState();
  const known = state.nodes.size === 0 ? [call.node.discovery()] : selectNodes(state, filters, call.node.id);
  const nodes: SearchNode[] = [];
  const failures: Document[] = [];
  for (const node of known) {
    const found = call.cluster.nodes.find(({ id }) => id === node.id);
    if (found !== undefined && call.node.canReach(found)) nodes.push(found);
    else failures.push(failureBody(node));
  }
  const counts = {
    total: known.length,
    successful: nodes.length,
    failed: failures.length,
    ...(failures.length === 0 ? {} : { failures }),
  };
  return { nodes, head: { _nodes: counts, cluster_name: call.cluster.clusterName } };
}

const failureBody = (node: DiscoveryNode): Document => ({
  type: 'failed_node_exception',
  reason: `Failed node [${node.id}]`,
  node_id: node.id,
  caused_by: {
    type: 'node_not_connected_exception',
    reason: `[${node.name}][${transportAddress(node)}] Node not connected`,
  },
});

function info(call: Call): Reply {
  const { filters, wanted } = readPath(call);
  const { nodes, head } = askedNodes(call, filters);
  return {
    body: withHuman(call, {
      ...head,
      nodes: Object.fromEntries(nodes.map((node) => [node.id, nodeBody(call, node, wanted)])),
    }),
  };
}

/** `/_nodes/http` names a metric, `/_nodes/node-1` a node: metrics win. */
function readPath(call: Call): { filters: string[]; wanted: ReadonlySet<string> } {
  const [filters, names] = [call.list('node_id'), call.list('metric')];
  const all = new Set([...Object.keys(zeroStatistics('nodeInfo', call.version)), 'remote_cluster_server', 'indices']);
  if (names.length > 0) return { filters, wanted: names.includes('_all') ? all : new Set(names) };
  if (filters.length > 0 && filters.every((name) => all.has(name))) return { filters: [], wanted: new Set(filters) };
  return { filters, wanted: all };
}

function nodeBody(call: Call, node: SearchNode, wanted: ReadonlySet<string>): Document {
  const discovery = node.discovery();
  const usage = nodeUsage(call.cluster, node, call.now);
  const sections = patched(zeroStatistics('nodeInfo', call.version), {
    settings: settingsBody(call, node),
    process: { id: usage.pid, mlockall: call.cluster.options.settings?.['bootstrap.memory_lock'] === 'true' },
    jvm: {
      pid: usage.pid,
      version: usage.jdk,
      vm_version: `${usage.jdk}+36`,
      start_time_in_millis: node.startedAtMs,
      mem: { heap_init_in_bytes: node.heapBytes, heap_max_in_bytes: node.heapBytes },
      input_arguments: jvmArguments(node),
      using_compressed_ordinary_object_pointers: String(node.heapBytes < compressedPointersBytes),
    },
    transport: { bound_address: [transportAddress(discovery)], publish_address: transportAddress(discovery) },
    http: {
      bound_address: [`${node.ip}:${discovery.httpPort}`],
      publish_address: `${node.ip}:${discovery.httpPort}`,
    },
    plugins: (call.cluster.options.plugins ?? []).map((name) => pluginInfo(node.version, name)),
  });
  return {
    ...head(call, discovery),
    ...(wanted.has('indices') ? { total_indexing_buffer: Math.floor(node.heapBytes / 10) } : {}),
    roles: discovery.roles,
    attributes: discovery.attributes,
    ...chooseSections(sections, wanted),
    ...(wanted.has('plugins') ? { modules: modules.map((name) => pluginInfo(node.version, name)) } : {}),
  };
}

const jvmArguments = (node: SearchNode) => [
  '-Des.networkaddress.cache.ttl=60',
  '-XX:+UseG1GC',
  `-Xms${Math.floor(node.heapBytes / 1024 ** 2)}m`,
  `-Xmx${Math.floor(node.heapBytes / 1024 ** 2)}m`,
  '-Des.distribution.type=deb',
];

function head(call: Call, node: DiscoveryNode): Document {
  return {
    name: node.name,
    transport_address: transportAddress(node),
    host: node.host,
    ip: node.ip,
    version: node.version,
    ...(call.atLeast('8.8.0') ? { transport_version: transportVersion(node.version) } : {}),
    ...(call.atLeast('8.11.0') ? { index_version: indexVersionId(node.version), component_versions: {} } : {}),
    build_flavor: 'default',
    build_type: 'deb',
    build_hash: buildHash,
  };
}

function settingsBody(call: Call, node: SearchNode): Document {
  const flat = nodeConfig(call.cluster, node) as Record<string, Value>;
  return call.flag('flat_settings') ? flat : nestSettings(flattenSettings(flat) as Record<string, Value>);
}

function hotThreads(call: Call): Reply {
  const { nodes } = askedNodes(call, call.list('node_id'));
  const text = nodes
    .map(
      (node) =>
        `::: ${nodeLabel(node.discovery())}\n   Hot threads at ${isoTime(call.now)}, interval=500ms, busiestThreads=3, ignoreIdleThreads=true:\n\n`,
    )
    .join('');
  return { text };
}

/** A plugin as nodes info describes it. */
export const pluginInfo = (version: string, name: string): Document =>
  patched(zeroStatistics('plugin', version), { name, version, elasticsearch_version: version, classname: name });

import { watermark } from '../../../engine/allocation/watermarks.ts';
import type { SearchNode } from '../../../engine/coordination/search-node.ts';
import { SettingsView } from '../../../engine/coordination/settings.ts';
import { storesOf, sumStores } from '../../../engine/documents/store-totals.ts';
import { illegalArgument } from '../../../engine/errors.ts';
import { transportAddress } from '../../../engine/state/node-info.ts';
import { isActive } from '../../../engine/state/shard.ts';
import { formatBytes } from '../../../engine/values/units.ts';
import { Double, type XObject, type XValue } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { withHuman } from '../../responses/human.ts';
import { nodeUsage } from '../../responses/node-usage.ts';
import { chooseSections, indexMetrics, pressureSection, statSections } from '../../responses/stat-sections.ts';
import { threadPools } from '../../responses/thread-pools.ts';
import { suggestion } from '../../routes/check-params.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { askedNodes } from './nodes-info.ts';

const metrics = [
  'indices',
  'os',
  'process',
  'jvm',
  'thread_pool',
  'fs',
  'transport',
  'http',
  'breaker',
  'script',
  'discovery',
  'ingest',
  'adaptive_selection',
  'script_cache',
  'indexing_pressure',
  'repositories',
  'allocations',
];

export const nodesStatsRoutes: readonly Endpoint[] = [
  {
    api: 'nodes.stats',
    action: 'cluster:monitor/nodes/stats',
    run: stats,
  },
];

function stats(call: Call): Reply {
  const wanted = readMetrics(call, call.list('metric'), metrics, 'metric');
  const indexWanted = readMetrics(call, call.list('index_metric'), Object.keys(indexMetrics), 'index metric');
  const level = call.text('level') ?? 'node';
  if (!['node', 'indices', 'shards'].includes(level))
    throw illegalArgument(`level parameter must be one of [node] or [indices] or [shards] but was [${level}]`);
  const { nodes, head } = askedNodes(call, call.list('node_id'));
  const sections = indexWanted === undefined ? undefined : new Set([...indexWanted].map((name) => indexMetrics[name]!));
  return {
    body: withHuman(call, {
      ...head,
      nodes: Object.fromEntries(nodes.map((node) => [node.id, nodeBody(call, node, wanted, sections, level)])),
    }),
  };
}

function readMetrics(
  call: Call,
  names: readonly string[],
  known: readonly string[],
  what: string,
): ReadonlySet<string> | undefined {
  if (names.length === 0 || (names.length === 1 && names[0] === '_all')) return undefined;
  if (names.includes('_all'))
    throw illegalArgument(
      `request [${call.path}] contains _all and individual ${what === 'metric' ? 'metrics' : 'index metrics'} [${names.join(',')}]`,
    );
  const unknown = names.filter((name) => !known.includes(name)).sort();
  if (unknown.length > 0)
    throw illegalArgument(
      `request [${call.path}] contains unrecognized ${what}${unknown.length > 1 ? 's' : ''}: ${unknown.map((name) => `[${name}]${suggestion(name, known)}`).join(', ')}`,
    );
  return new Set(names);
}

function nodeBody(
  call: Call,
  node: SearchNode,
  wanted: ReadonlySet<string> | undefined,
  sections: ReadonlySet<string> | undefined,
  level: string,
): XObject {
  const discovery = node.discovery(call.version);
  const parts: Readonly<Record<string, readonly [string, () => XValue]>> = {
    indices: ['indices', () => indicesBody(call, node, sections, level)],
    os: ['os', () => osBody(call, node)],
    process: ['process', () => processBody(call, node)],
    jvm: ['jvm', () => jvmBody(call, node)],
    thread_pool: ['thread_pool', () => threadPools.stats],
    fs: ['fs', () => fsBody(call, node)],
    transport: [
      'transport',
      () => ({
        server_open: 0,
        total_outbound_connections: 0,
        rx_count: 0,
        rx_size_in_bytes: 0,
        tx_count: 0,
        tx_size_in_bytes: 0,
        ...(call.major >= 8 ? { inbound_handling_time_histogram: [], outbound_handling_time_histogram: [] } : {}),
      }),
    ],
    http: [
      'http',
      () => ({
        current_open: 1,
        total_opened: 1,
        ...(call.atLeast('7.13.0') ? { clients: [] } : {}),
        ...(call.atLeast('8.12.0') ? { routes: {} } : {}),
      }),
    ],
    breaker: ['breakers', () => breakers(node)],
    script: [
      'script',
      () => ({
        compilations: 0,
        cache_evictions: 0,
        compilation_limit_triggered: 0,
        ...(call.major >= 8 ? { contexts: [] } : {}),
      }),
    ],
    discovery: ['discovery', () => discoveryBody(call)],
    ingest: ['ingest', () => ({ total: { count: 0, time_in_millis: 0, current: 0, failed: 0 }, pipelines: {} })],
    adaptive_selection: ['adaptive_selection', () => ({})],
    script_cache: [
      'script_cache',
      () => ({ sum: { compilations: 0, cache_evictions: 0, compilation_limit_triggered: 0 } }),
    ],
    indexing_pressure: [
      'indexing_pressure',
      () => ({
        memory: {
          current: pressureSection(),
          total: { ...pressureSection(), coordinating_rejections: 0, primary_rejections: 0, replica_rejections: 0 },
          limit_in_bytes: Math.floor(node.heapBytes / 10),
        },
      }),
    ],
    repositories: ['repositories', () => ({})],
    allocations: [
      'allocations',
      () => ({
        shards: node.copies.size,
        undesired_shards: 0,
        forecasted_ingest_load: new Double(0),
        forecasted_disk_usage_in_bytes: node.indexBytes,
        current_disk_usage_in_bytes: node.indexBytes,
      }),
    ],
  };
  const since: Readonly<Record<string, string>> = {
    script_cache: '7.9.0',
    indexing_pressure: '7.9.0',
    repositories: '8.11.0',
    allocations: '8.14.0',
  };
  const shown = Object.entries(parts).filter(
    ([name]) => (wanted === undefined || wanted.has(name)) && call.atLeast(since[name] ?? '0.0.0'),
  );
  return {
    timestamp: call.now,
    name: node.name,
    transport_address: transportAddress(discovery),
    host: node.host,
    ip: transportAddress(discovery),
    roles: discovery.roles,
    attributes: discovery.attributes,
    ...Object.fromEntries(shown.map(([, [section, make]]) => [section, make()])),
  };
}

function indicesBody(call: Call, node: SearchNode, sections: ReadonlySet<string> | undefined, level: string): XObject {
  const state = call.localState();
  const totals = chooseSections(statSections(call, sumStores(storesOf(state, node))), sections);
  if (level === 'node') return totals;
  const copies = [...node.copies.values()].filter((copy) =>
    (state.routing.get(copy.index)?.[copy.shard] ?? []).some(
      (shard) => shard.allocationId === copy.allocationId && isActive(shard),
    ),
  );
  const names = [...new Set(copies.map(({ index }) => index))];
  const section = (stores: Parameters<typeof sumStores>[0]) =>
    chooseSections(statSections(call, sumStores(stores)), sections);
  const own = (name: string) => copies.filter(({ index }) => index === name);
  if (level === 'indices')
    return {
      ...totals,
      indices: Object.fromEntries(names.map((name) => [name, section(own(name).map(({ store }) => store))])),
    };
  return {
    ...totals,
    shards: Object.fromEntries(
      names.map((name) => [
        name,
        own(name).map((copy) => ({
          [String(copy.shard)]: {
            routing: { state: 'STARTED', primary: true, node: node.id, relocating_node: null },
            ...section([copy.store]),
          },
        })),
      ]),
    ),
  };
}

function osBody(call: Call, node: SearchNode): XObject {
  const usage = nodeUsage(call.cluster, node, call.now);
  const free = usage.memoryTotal - usage.memoryUsed;
  const adjusted = call.atLeast('7.16.0') ? { adjusted_total_in_bytes: usage.memoryTotal } : {};
  return {
    timestamp: call.now,
    cpu: {
      percent: usage.cpuPercent,
      load_average: { '1m': usage.load[0], '5m': usage.load[1], '15m': usage.load[2] },
    },
    mem: {
      total_in_bytes: usage.memoryTotal,
      ...adjusted,
      free_in_bytes: free,
      used_in_bytes: usage.memoryUsed,
      free_percent: 100 - usage.memoryPercent,
      used_percent: usage.memoryPercent,
    },
    swap: { total_in_bytes: 0, free_in_bytes: 0, used_in_bytes: 0 },
  };
}

function processBody(call: Call, node: SearchNode): XObject {
  const usage = nodeUsage(call.cluster, node, call.now);
  return {
    timestamp: call.now,
    open_file_descriptors: usage.openFiles,
    max_file_descriptors: 65_535,
    cpu: { percent: usage.cpuPercent, total_in_millis: Math.floor((call.now - node.startedAtMs) / 20) },
    mem: { total_virtual_in_bytes: node.heapBytes + 3_000_000_000 },
  };
}

function jvmBody(call: Call, node: SearchNode): XObject {
  const usage = nodeUsage(call.cluster, node, call.now);
  const pool = (used: number, max: number): XObject => ({
    used_in_bytes: used,
    max_in_bytes: max,
    peak_used_in_bytes: used,
    peak_max_in_bytes: max,
  });
  const collector = (count: number): XObject => ({ collection_count: count, collection_time_in_millis: count * 20 });
  const uptime = call.now - node.startedAtMs;
  return {
    timestamp: call.now,
    uptime_in_millis: uptime,
    mem: {
      heap_used_in_bytes: usage.heapUsed,
      heap_used_percent: usage.heapPercent,
      heap_committed_in_bytes: node.heapBytes,
      heap_max_in_bytes: node.heapBytes,
      non_heap_used_in_bytes: 150_000_000,
      non_heap_committed_in_bytes: 160_000_000,
      pools: {
        young: pool(Math.floor(usage.heapUsed / 2), 0),
        survivor: pool(10_000_000, 0),
        old: pool(Math.floor(usage.heapUsed / 2), node.heapBytes),
      },
    },
    threads: { count: 40, peak_count: 60 },
    gc: { collectors: { young: collector(Math.floor(uptime / 60_000)), old: collector(0) } },
    buffer_pools: {
      mapped: { count: 0, used_in_bytes: 0, total_capacity_in_bytes: 0 },
      direct: { count: 10, used_in_bytes: 2_000_000, total_capacity_in_bytes: 2_000_000 },
    },
    classes: { current_loaded_count: 20_000, total_loaded_count: 20_000, total_unloaded_count: 0 },
  };
}

function fsBody(call: Call, node: SearchNode): XObject {
  const settings = new SettingsView(call.localState(), call.cluster.options.settings ?? {});
  const usage = { total_in_bytes: node.diskBytes, free_in_bytes: node.freeBytes, available_in_bytes: node.freeBytes };
  const mark = (name: 'low' | 'high' | 'flood_stage') => watermark(settings, name).minimumFree(node.diskBytes);
  const marks = call.atLeast('8.4.0')
    ? {
        low_watermark_free_space_in_bytes: mark('low'),
        high_watermark_free_space_in_bytes: mark('high'),
        flood_stage_free_space_in_bytes: mark('flood_stage'),
      }
    : {};
  const io = { operations: 0, read_operations: 0, write_operations: 0, read_kilobytes: 0, write_kilobytes: 0 };
  return {
    timestamp: call.now,
    total: usage,
    data: [{ path: '/var/lib/elasticsearch', mount: '/ (/dev/nvme0n1p1)', type: 'ext4', ...usage, ...marks }],
    io_stats: { devices: [], total: io },
  };
}

function breakers(node: SearchNode): XObject {
  const breaker = (share: number, overhead: number): XObject => {
    const limit = Math.floor(node.heapBytes * share);
    return {
      limit_size_in_bytes: limit,
      limit_size: formatBytes(limit),
      estimated_size_in_bytes: 0,
      estimated_size: '0b',
      overhead: new Double(overhead),
      tripped: 0,
    };
  };
  return {
    request: breaker(0.6, 1),
    fielddata: breaker(0.4, 1.03),
    inflight_requests: breaker(1, 2),
    parent: breaker(0.95, 1),
  };
}

function discoveryBody(call: Call): XObject {
  const none = { count: 0, uncompressed_size_in_bytes: 0, compressed_size_in_bytes: 0 };
  return {
    cluster_state_queue: { total: 0, pending: 0, committed: 0 },
    ...(call.major >= 8 ? { serialized_cluster_states: { full_states: none, diffs: none } } : {}),
    published_cluster_states: { full_states: 0, incompatible_diffs: 0, compatible_diffs: 0 },
  };
}

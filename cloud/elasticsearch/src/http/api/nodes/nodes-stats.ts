import { type Document, Double } from '@drover/formats';
import { watermark } from '../../../engine/allocation/watermarks.ts';
import type { SearchNode } from '../../../engine/coordination/search-node.ts';
import { SettingsView } from '../../../engine/coordination/settings.ts';
import { activeCopies, type CountedCopy, sumCopies } from '../../../engine/documents/store-totals.ts';
import { illegalArgument } from '../../../engine/errors.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import { transportAddress } from '../../../engine/state/node-info.ts';
import { isActive, type ShardRouting } from '../../../engine/state/shard.ts';
import { formatBytes } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { withHuman } from '../../responses/human.ts';
import { nodeUsage } from '../../responses/node-usage.ts';
import { chooseSections, indexMetrics, statSections } from '../../responses/stat-sections.ts';
import { patched, zeroStatistics } from '../../responses/statistics.ts';
import { threadPools } from '../../responses/thread-pools.ts';
import { suggestion } from '../../routes/check-params.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { shardDetails } from '../indices/index-stats.ts';
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
    actions: allocationStats,
    run: stats,
  },
];

/**
 * Figures about disks come from the master by an action of its own, since 8.14 ("Add allocation stats",
 * elastic/elasticsearch#105894).
 */
function allocationStats(call: Call): string[] {
  const wanted = call.list('metric');
  const told = wanted.length === 0 || wanted.some((name) => ['_all', 'fs', 'allocations'].includes(name));
  return told && call.atLeast('8.14.0') ? ['cluster:monitor/allocation/stats'] : [];
}

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
): Document {
  const discovery = node.discovery();
  const body = patched(zeroStatistics('node', call.version), {
    indices: indicesBody(call, node, sections, level),
    ...machineBody(call, node),
    transport: transportBody(call, node),
    http: { total_opened: node.requests },
    thread_pool: threadPools.stats(sumCopies(activeCopies(call.localState(), node)), call.now - node.startedAtMs),
    breakers: breakers(node),
    indexing_pressure: { memory: { limit_in_bytes: Math.floor(node.heapBytes / 10) } },
    allocations: {
      shards: node.copies.size,
      forecasted_disk_usage_in_bytes: node.indexBytes,
      current_disk_usage_in_bytes: node.indexBytes,
    },
  });
  const shown = metrics.filter((name) => wanted === undefined || wanted.has(name)).map(sectionOf);
  return {
    timestamp: call.now,
    name: node.name,
    transport_address: transportAddress(discovery),
    host: node.host,
    ip: transportAddress(discovery),
    roles: discovery.roles,
    attributes: discovery.attributes,
    ...chooseSections(body, new Set(shown)),
  };
}

/** The section that a metric stands for. */
const sectionOf = (metric: string) => (metric === 'breaker' ? 'breakers' : metric);

function indicesBody(call: Call, node: SearchNode, sections: ReadonlySet<string> | undefined, level: string): Document {
  const state = call.localState();
  const section = (copies: Parameters<typeof sumCopies>[0]) =>
    chooseSections(statSections(call, sumCopies(copies)), sections);
  const totals = section(activeCopies(state, node));
  if (level === 'node') return totals;
  const names = [...state.routing.keys()].filter((name) => here(state, node, name).length > 0);
  if (level === 'indices')
    return {
      ...totals,
      indices: Object.fromEntries(
        names.map((name) => [name, section(here(state, node, name).map(({ counted }) => counted))]),
      ),
    };
  const details = (name: string) =>
    here(state, node, name).map(({ copy, counted }) => ({
      [String(copy.shard)]: shardDetails(call, state, copy, counted, sections),
    }));
  return { ...totals, shards: Object.fromEntries(names.map((name) => [name, details(name)])) };
}

/** The active copies of an index on a node. */
function here(state: ClusterState, node: SearchNode, name: string): { copy: ShardRouting; counted: CountedCopy }[] {
  return (state.routing.get(name) ?? []).flat().flatMap((copy) => {
    const store = copy.node === node.id && isActive(copy) ? node.copies.get(copy.allocationId!)?.store : undefined;
    return store === undefined ? [] : [{ copy, counted: { store, reads: node.reads.of(copy.allocationId!) } }];
  });
}

/** Bytes of a check with which nodes make sure of each other. */
const checkBytes = 90;

/**
 * Every second the master and each other node make sure that the other is there (`cluster.fault_detection`): a request and a
 * response both ways.
 */
function transportBody(call: Call, node: SearchNode): Document {
  const state = call.localState();
  const others = state.nodes.size - 1;
  const peers = state.masterId === node.id ? others : Math.min(1, others);
  const messages = Math.floor((call.now - node.startedAtMs) / 1000) * 2 * peers;
  return {
    server_open: others * 13,
    total_outbound_connections: others * 13,
    rx_count: messages,
    rx_size_in_bytes: messages * checkBytes,
    tx_count: messages,
    tx_size_in_bytes: messages * checkBytes,
  };
}

/** The reports of the operating system, the process and the virtual machine. */
function machineBody(call: Call, node: SearchNode): Document {
  const usage = nodeUsage(call.cluster, node, call.now);
  const uptime = call.now - node.startedAtMs;
  const collections = Math.floor(uptime / 60_000);
  const half = Math.floor(usage.heapUsed / 2);
  return {
    os: {
      timestamp: call.now,
      cpu: {
        percent: usage.cpuPercent,
        load_average: { '1m': usage.load[0], '5m': usage.load[1], '15m': usage.load[2] },
      },
      mem: memoryBody(usage.memoryTotal, usage.memoryUsed, usage.memoryPercent),
      cgroup: cgroupBody(uptime, node.heapBytes),
    },
    process: {
      timestamp: call.now,
      open_file_descriptors: usage.openFiles,
      cpu: { percent: usage.cpuPercent, total_in_millis: Math.floor(uptime / 20) },
      mem: { total_virtual_in_bytes: node.heapBytes + 3_000_000_000 },
    },
    jvm: {
      timestamp: call.now,
      uptime_in_millis: uptime,
      mem: {
        heap_used_in_bytes: usage.heapUsed,
        heap_used_percent: usage.heapPercent,
        heap_committed_in_bytes: node.heapBytes,
        heap_max_in_bytes: node.heapBytes,
        pools: {
          young: { used_in_bytes: half, peak_used_in_bytes: half },
          old: {
            used_in_bytes: half,
            max_in_bytes: node.heapBytes,
            peak_used_in_bytes: half,
            peak_max_in_bytes: node.heapBytes,
          },
        },
      },
      gc: { collectors: { young: { collection_count: collections, collection_time_in_millis: collections * 20 } } },
    },
    fs: fsBody(call, node),
  };
}

/** The service's own group of processes, without limits. */
function cgroupBody(uptimeMs: number, heapBytes: number): Document {
  const control_group = '/system.slice/elasticsearch.service';
  return {
    cpuacct: { control_group, usage_nanos: Math.floor(uptimeMs / 20) * 1_000_000 },
    cpu: {
      control_group,
      cfs_period_micros: 100_000,
      cfs_quota_micros: -1,
      stat: { number_of_elapsed_periods: 0, number_of_times_throttled: 0, time_throttled_nanos: 0 },
    },
    memory: { control_group, limit_in_bytes: 'max', usage_in_bytes: String(heapBytes + 1_000_000_000) },
  };
}

/** Memory of one machine, or of several together. */
export const memoryBody = (total: number, used: number, percent: number): Document => ({
  total_in_bytes: total,
  adjusted_total_in_bytes: total,
  free_in_bytes: total - used,
  used_in_bytes: used,
  free_percent: 100 - percent,
  used_percent: percent,
});

function fsBody(call: Call, node: SearchNode): Document {
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
  return {
    timestamp: call.now,
    total: usage,
    io_stats: ioBody(node),
    data: [{ path: '/var/lib/elasticsearch', mount: '/ (/dev/nvme0n1p1)', type: 'ext4', ...usage, ...marks }],
  };
}

/** Kilobytes written, in writes of 16; reads come from the page cache. */
function ioBody(node: SearchNode): Document {
  const bytes = [...node.copies.values()].reduce((sum, { store }) => sum + store.writtenBytes, 0);
  const kilobytes = Math.floor(bytes / 1024);
  const writes = Math.ceil(kilobytes / 16);
  const total = {
    operations: writes,
    read_operations: 0,
    write_operations: writes,
    read_kilobytes: 0,
    write_kilobytes: kilobytes,
    io_time_in_millis: writes,
  };
  return { devices: [{ device_name: 'nvme0n1p1', ...total }], total };
}

function breakers(node: SearchNode): Document {
  const breaker = (share: number, overhead: number): Document => {
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

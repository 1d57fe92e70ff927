import { type Document, Double } from '@drover/formats';
import { watermark } from '../../../engine/allocation/watermarks.ts';
import type { SearchNode } from '../../../engine/coordination/search-node.ts';
import { SettingsView } from '../../../engine/coordination/settings.ts';
import { activeCopies, sumCopies } from '../../../engine/documents/store-totals.ts';
import { illegalArgument, NotModelled } from '../../../engine/errors.ts';
import { transportAddress } from '../../../engine/state/node-info.ts';
import { formatBytes } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { withHuman } from '../../responses/human.ts';
import { nodeUsage } from '../../responses/node-usage.ts';
import { chooseSections, namedSections, statSections } from '../../responses/stat-sections.ts';
import { patched, zeroStatistics } from '../../responses/statistics.ts';
import { poolStatistics } from '../../responses/thread-pools.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { askedNodes } from './nodes-info.ts';

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
  const wanted = namedSections(call, call.list('metric'), 'node');
  const indexWanted = namedSections(call, call.list('index_metric'), 'shards', 'index metric');
  const level = call.text('level') ?? 'node';
  if (!['node', 'indices', 'shards'].includes(level))
    throw illegalArgument(`level parameter must be one of [node] or [indices] or [shards] but was [${level}]`);
  if (level !== 'node') throw new NotModelled(`[level=${level}] of nodes.stats`);
  const { nodes, head } = askedNodes(call, call.list('node_id'));
  const bodies = nodes.map((node) => [node.id, nodeBody(call, node, wanted, indexWanted)] as const);
  return { body: withHuman(call, { ...head, nodes: Object.fromEntries(bodies) }) };
}

function nodeBody(
  call: Call,
  node: SearchNode,
  wanted: ReadonlySet<string> | undefined,
  indexWanted: ReadonlySet<string> | undefined,
): Document {
  const discovery = node.discovery();
  const totals = sumCopies(activeCopies(call.localState(), node));
  // Programs ask for two or three sections every minute: only those are filled in.
  const isWanted = wanted?.has('indices') ?? true;
  const body = patched(chooseSections(zeroStatistics('node', call.version), wanted), {
    ...(isWanted ? { indices: chooseSections(statSections(call, totals), indexWanted) } : {}),
    ...machineBody(call, node),
    transport: transportBody(call, node),
    http: { total_opened: node.requests },
    thread_pool: poolStatistics(totals, node, call.now),
    breakers: breakers(node),
    indexing_pressure: { memory: { limit_in_bytes: Math.floor(node.heapBytes / 10) } },
    allocations: {
      shards: node.copies.size,
      forecasted_disk_usage_in_bytes: node.indexBytes,
      current_disk_usage_in_bytes: node.indexBytes,
    },
  });
  return {
    timestamp: call.now,
    name: node.name,
    transport_address: transportAddress(discovery),
    host: node.host,
    ip: transportAddress(discovery),
    roles: discovery.roles,
    attributes: discovery.attributes,
    ...body,
  };
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
      cgroup: {
        cpuacct: { usage_nanos: Math.floor(uptime / 20) * 1_000_000 },
        memory: { usage_in_bytes: String(node.heapBytes + 1_000_000_000) },
      },
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

/** Circuit breakers with their share of the heap, and with what they multiply an estimate. */
function breakers(node: SearchNode): Document {
  const shares = { request: [0.6, 1], fielddata: [0.4, 1.03], inflight_requests: [1, 2], parent: [0.95, 1] };
  return Object.fromEntries(
    Object.entries(shares).map(([name, [share, overhead]]) => {
      const limit = Math.floor(node.heapBytes * share!);
      const limits = { limit_size_in_bytes: limit, limit_size: formatBytes(limit) };
      const used = { estimated_size_in_bytes: 0, estimated_size: '0b' };
      return [name, { ...limits, ...used, overhead: new Double(overhead!), tripped: 0 }];
    }),
  );
}

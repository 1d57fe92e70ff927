import type { MasterServices } from '../../engine/coordination/master-services.ts';
import type { SearchNode } from '../../engine/coordination/search-node.ts';
import { activeCopies, sumCopies } from '../../engine/documents/store-totals.ts';
import { roleAbbreviation } from '../../engine/state/node-info.ts';
import type { Call } from '../call.ts';
import { nodeUsage } from '../responses/node-usage.ts';
import type { Endpoint } from '../routes/route.ts';
import { catEndpoint, type Rows } from './columns.ts';
import { statCells } from './stat-cells.ts';
import type { Cell } from './table.ts';

export const catNodeRoutes: readonly Endpoint[] = [
  catEndpoint(
    'nodes',
    { action: 'cluster:monitor/state', actions: () => ['cluster:monitor/nodes/info', 'cluster:monitor/nodes/stats'] },
    nodes,
  ),
  catEndpoint('master', { action: 'cluster:monitor/state' }, master),
  catEndpoint('nodeattrs', { action: 'cluster:monitor/state' }, nodeAttributes),
];

async function nodes(call: Call): Promise<Rows> {
  const services = await call.master();
  return services.members().map((node) => nodeRow(call, services, node));
}

function nodeRow(call: Call, services: MasterServices, node: SearchNode): Record<string, Cell> {
  const usage = nodeUsage(call.cluster, node, call.now);
  const { state } = services.core;
  return {
    id: call.flag('full_id') ? node.id : node.id.slice(0, 4),
    pid: usage.pid,
    ip: node.ip,
    port: node.options.transportPort ?? 9300,
    http_address: `${node.ip}:${node.options.httpPort ?? 9200}`,
    version: node.version,
    type: 'deb',
    build: usage.buildHash,
    jdk: usage.jdk,
    'disk.total': { bytes: node.diskBytes },
    'disk.used': { bytes: node.diskBytes - node.freeBytes },
    'disk.avail': { bytes: node.freeBytes },
    'disk.used_percent': (((node.diskBytes - node.freeBytes) * 100) / node.diskBytes).toFixed(2),
    'heap.current': { bytes: usage.heapUsed },
    'heap.percent': usage.heapPercent,
    'heap.max': { bytes: node.heapBytes },
    'ram.current': { bytes: usage.memoryUsed },
    'ram.percent': usage.memoryPercent,
    'ram.max': { bytes: usage.memoryTotal },
    'file_desc.current': usage.openFiles,
    'file_desc.percent': 0,
    'file_desc.max': 65_535,
    cpu: usage.cpuPercent,
    load_1m: usage.load[0].toFixed(2),
    load_5m: usage.load[1].toFixed(2),
    load_15m: usage.load[2].toFixed(2),
    uptime: { ms: call.now - node.startedAtMs },
    'node.role': roleAbbreviation(node.roles),
    master: state.masterId === node.id ? '*' : '-',
    name: node.name,
    ...(call.text('h') === undefined && call.text('s') === undefined
      ? {}
      : statCells(call, sumCopies(activeCopies(state, node)))),
    'shard_stats.total_count': [...node.copies.values()].length,
  };
}

async function master(call: Call): Promise<Rows> {
  const state = await call.state();
  const node = state.masterId === undefined ? undefined : state.nodes.get(state.masterId);
  if (node === undefined) return [{ id: '-', host: '-', ip: '-', node: '-' }];
  return [{ id: node.id, host: node.host, ip: node.ip, node: node.name }];
}

async function nodeAttributes(call: Call): Promise<Rows> {
  const state = await call.state();
  return [...state.nodes.values()].flatMap((node) =>
    Object.entries(node.attributes).map(([attr, value]) => ({
      node: node.name,
      id: node.id.slice(0, 4),
      pid: 1,
      host: node.host,
      ip: node.ip,
      port: node.transportPort,
      attr,
      value,
    })),
  );
}

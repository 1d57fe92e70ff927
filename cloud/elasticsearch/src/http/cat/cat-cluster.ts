import type { RecoveryState } from '../../engine/allocation/recovery-state.ts';
import { RoutingNodes } from '../../engine/allocation/routing-nodes.ts';
import type { MasterServices } from '../../engine/coordination/master-services.ts';
import { isDataNode, roleAbbreviation } from '../../engine/state/node-info.ts';
import { selectNodes } from '../../engine/state/select-nodes.ts';
import { shardKey } from '../../engine/state/shard.ts';
import { wildcardToRegExp } from '../../engine/values/filter-path.ts';
import { isoTime } from '../../engine/values/units.ts';
import { allRecoveries } from '../api/indices/recovery.ts';
import type { Call } from '../call.ts';
import { chosenIndices, expressionParams } from '../index-expressions.ts';
import { percentText } from '../responses/human.ts';
import type { Endpoint } from '../routes/route.ts';
import { catEndpoint, type Rows } from './columns.ts';
import type { Cell } from './table.ts';

export const catClusterRoutes: readonly Endpoint[] = [
  catEndpoint(
    'allocation',
    { action: 'cluster:monitor/state', actions: () => ['cluster:monitor/nodes/stats'] },
    allocation,
  ),
  catEndpoint(
    'recovery',
    {
      action: 'indices:monitor/recovery',
      params: [...expressionParams],
      without: ['index'],
      indices: (call) => call.list('index'),
    },
    recovery,
  ),
  catEndpoint('pending_tasks', { action: 'cluster:monitor/task' }, pendingTasks),
  catEndpoint('repositories', { action: 'cluster:admin/repository/get' }, repositories),
  catEndpoint(
    'templates',
    { action: 'indices:admin/template/get', actions: () => ['indices:admin/index_template/get'] },
    templates,
  ),
];

async function allocation(call: Call): Promise<Rows> {
  const services = await call.master();
  const { state } = services.core;
  const routing = new RoutingNodes(state, () => '');
  const wanted =
    call.text('node_id') === undefined
      ? [...state.nodes.values()]
      : selectNodes(state, call.list('node_id'), call.node.id);
  const rows = wanted.filter(isDataNode).flatMap((node) => allocationRow(services, routing, node.id));
  const unassigned = routing.unassigned.length;
  return [...rows, ...(unassigned > 0 ? [{ shards: unassigned, node: 'UNASSIGNED' }] : [])];
}

function allocationRow(services: MasterServices, routing: RoutingNodes, nodeId: string): Record<string, Cell>[] {
  const node = services.node(nodeId);
  if (node === undefined) return [];
  const shards = routing.on(nodeId);
  const { desired } = services.allocation;
  const undesired = shards.filter(
    (shard) => shard.state === 'STARTED' && desired.get(shardKey(shard))?.includes(nodeId) === false,
  ).length;
  const used = node.diskBytes - node.freeBytes;
  return [
    {
      shards: shards.length,
      'shards.undesired': undesired,
      'write_load.forecast': '0.0',
      'disk.indices.forecast': { bytes: node.indexBytes },
      'disk.indices': { bytes: node.indexBytes },
      'disk.used': { bytes: used },
      'disk.avail': { bytes: node.freeBytes },
      'disk.total': { bytes: node.diskBytes },
      'disk.percent': Math.floor((used * 100) / node.diskBytes),
      host: node.host,
      ip: node.ip,
      node: node.name,
      'node.role': roleAbbreviation(node.roles),
    },
  ];
}

async function recovery(call: Call): Promise<Rows> {
  const services = await call.master();
  const { state } = services.core;
  const names = new Set(chosenIndices(call, state, { closed: true, hidden: true }).map(({ name }) => name));
  const list = allRecoveries(services).filter(
    (entry) => names.has(entry.index) && (!call.flag('active_only') || entry.stage !== 'DONE'),
  );
  const order = [...state.indices.keys()];
  list.sort((a, b) => order.indexOf(a.index) - order.indexOf(b.index) || a.shard - b.shard);
  return list.map((entry) => recoveryRow(call, services, entry));
}

function recoveryRow(call: Call, services: MasterServices, entry: RecoveryState): Record<string, Cell> {
  const host = (id: string | undefined) =>
    id === undefined ? 'n/a' : (services.core.state.nodes.get(id)?.host ?? 'n/a');
  const name = (id: string | undefined) =>
    id === undefined ? 'n/a' : (services.core.state.nodes.get(id)?.name ?? 'n/a');
  const stop = entry.stopMs ?? call.now;
  const files = entry.files - entry.reusedFiles;
  const toCopy = entry.totalBytes - entry.reusedBytes;
  const percent = entry.totalBytes === 0 ? 0 : ((entry.recoveredBytes + entry.reusedBytes) * 100) / entry.totalBytes;
  const done = entry.stage === 'DONE';
  // Before 8.0 these were bare numbers.
  const size = (value: number): Cell => (call.major >= 8 ? { bytes: value } : value);
  return {
    index: entry.index,
    shard: entry.shard,
    start_time: isoTime(entry.startMs),
    start_time_millis: entry.startMs,
    stop_time: done ? isoTime(stop) : '',
    stop_time_millis: done ? stop : 0,
    time: { ms: stop - entry.startMs },
    type: entry.type.toLowerCase(),
    stage: entry.stage.toLowerCase(),
    source_host: host(entry.sourceNode),
    source_node: name(entry.sourceNode),
    target_host: host(entry.targetNode),
    target_node: name(entry.targetNode),
    repository: entry.repository ?? 'n/a',
    snapshot: entry.snapshot ?? 'n/a',
    files,
    files_recovered: done ? files : Math.floor((files * percent) / 100),
    files_percent: percentText(entry.files === 0 ? 0 : done ? 100 : percent),
    files_total: entry.files,
    bytes: size(toCopy),
    bytes_recovered: size(Math.floor(entry.recoveredBytes)),
    bytes_percent: percentText(percent),
    bytes_total: size(entry.totalBytes),
    translog_ops: entry.operations,
    translog_ops_recovered: done ? entry.operations : 0,
    translog_ops_percent: percentText(done || entry.operations === 0 ? 100 : 0),
  };
}

async function pendingTasks(call: Call): Promise<Rows> {
  await call.state();
  return [];
}

async function repositories(call: Call): Promise<Rows> {
  const state = await call.state();
  const rows = [...state.repositories.values()].map(({ name, type }) => ({ id: name, type }));
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function templates(call: Call): Promise<Rows> {
  const state = await call.state();
  const list = (value: unknown) =>
    `[${(Array.isArray(value) ? value : value === undefined ? [] : [value]).join(', ')}]`;
  const names = call.list('name');
  const wanted = (name: string) => names.length === 0 || names.some((pattern) => wildcardToRegExp(pattern).test(name));
  const legacy = [...state.legacyTemplates.values()].map(({ name, body }) => ({
    name,
    index_patterns: list(body.index_patterns),
    order: String(body.order ?? 0),
    version: body.version === undefined ? undefined : String(body.version),
    composed_of: '',
  }));
  const composable = [...state.indexTemplates.values()].map(({ name, body }) => ({
    name,
    index_patterns: list(body.index_patterns),
    order: body.priority === undefined ? undefined : String(body.priority),
    version: body.version === undefined ? undefined : String(body.version),
    composed_of: '[]',
  }));
  return [...legacy, ...composable].filter(({ name }) => wanted(name));
}

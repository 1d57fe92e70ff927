import { indexHealth } from '../../engine/coordination/health.ts';
import type { MasterServices } from '../../engine/coordination/master-services.ts';
import { refreshForSearch } from '../../engine/documents/read-shards.ts';
import { type CountedCopy, sumCopies } from '../../engine/documents/store-totals.ts';
import { illegalArgument } from '../../engine/errors.ts';
import {
  creationDate,
  type IndexMetadata,
  numberOfReplicas,
  numberOfShards,
} from '../../engine/state/index-metadata.ts';
import { isActive, type ShardRouting } from '../../engine/state/shard.ts';
import { wildcardToRegExp } from '../../engine/values/filter-path.ts';
import { isoTime } from '../../engine/values/units.ts';
import type { Call } from '../call.ts';
import { chosenIndices, expressionParams, namedIndices } from '../index-expressions.ts';
import type { Endpoint } from '../routes/route.ts';
import { catEndpoint, type Rows } from './columns.ts';
import { statCells } from './stat-cells.ts';
import type { Cell } from './table.ts';

const indices = (call: Call) => call.list('index');

export const catIndexRoutes: readonly Endpoint[] = [
  catEndpoint(
    'indices',
    {
      action: 'indices:monitor/settings/get',
      actions: () => ['cluster:monitor/state', 'cluster:monitor/health', 'indices:monitor/stats'],
      params: [...expressionParams],
      indices,
    },
    catIndices,
  ),
  catEndpoint(
    'shards',
    {
      action: 'cluster:monitor/state',
      actions: () => ['indices:monitor/stats'],
      params: [...expressionParams],
      indices,
    },
    catShards,
  ),
  catEndpoint('count', { action: 'indices:data/read/search', indices }, catCount),
  catEndpoint('aliases', { action: 'indices:admin/aliases/get', params: [...expressionParams] }, catAliases),
];

async function catIndices(call: Call): Promise<Rows> {
  const wanted = call.text('health');
  if (wanted !== undefined && !['green', 'yellow', 'red'].includes(wanted.toLowerCase()))
    throw illegalArgument(`unknown cluster health status [${wanted}]`);
  const services = await call.master();
  const chosen = chosenIndices(call, services.core.state, { closed: true });
  return chosen
    .map((index) => indexRow(call, services, index))
    .filter((row) => wanted === undefined || row.health === wanted.toLowerCase());
}

function indexRow(call: Call, services: MasterServices, index: IndexMetadata): Record<string, Cell> {
  const health = indexHealth(services.core.state, index);
  const head = {
    health: health.status,
    status: index.state,
    index: index.name,
    uuid: index.uuid,
    pri: numberOfShards(index),
    rep: numberOfReplicas(index),
    'creation.date': creationDate(index),
    'creation.date.string': isoTime(creationDate(index)),
    'search.throttled': 'false',
    'memory.total': { bytes: 0 },
    'pri.memory.total': { bytes: 0 },
  };
  if (index.state === 'close') return head;
  const stores = activeStores(services, index, call.now);
  if (stores.all.length === 0 && stores.primaries.length === 0) return head;
  const [primaries, all] = [sumCopies(stores.primaries), sumCopies(stores.all)];
  return {
    ...head,
    'docs.count': primaries.docs,
    'docs.deleted': primaries.deleted,
    'store.size': { bytes: all.bytes },
    'pri.store.size': { bytes: primaries.bytes },
    'dataset.size': { bytes: primaries.bytes },
    ...(call.text('h') === undefined && call.text('s') === undefined
      ? {}
      : { ...statCells(call, all), ...statCells(call, primaries, 'pri.') }),
  };
}

/** Stores of an index's active copies. */
export function activeStores(
  services: MasterServices,
  index: IndexMetadata,
  nowMs: number,
): { primaries: CountedCopy[]; all: CountedCopy[] } {
  const primaries: CountedCopy[] = [];
  const all: CountedCopy[] = [];
  for (const [shard, copies] of (services.core.state.routing.get(index.name) ?? []).entries())
    for (const copy of copies) {
      const counted = isActive(copy) ? countedCopy(services, index, shard, copy, nowMs) : undefined;
      if (counted === undefined) continue;
      all.push(counted);
      if (copy.primary) primaries.push(counted);
    }
  return { primaries, all };
}

export function countedCopy(
  services: MasterServices,
  index: IndexMetadata,
  shard: number,
  copy: ShardRouting,
  nowMs: number,
): CountedCopy | undefined {
  const node = services.node(copy.node!);
  const store = node?.copies.get(copy.allocationId!)?.store;
  if (node === undefined || store === undefined) return undefined;
  refreshForSearch({ index, shard, store }, nowMs);
  return { store, reads: node.reads.of(copy.allocationId!) };
}

async function catShards(call: Call): Promise<Rows> {
  const services = await call.master();
  const chosen = chosenIndices(call, services.core.state, { closed: true, hidden: true });
  return chosen.flatMap((index) =>
    (services.core.state.routing.get(index.name) ?? []).flatMap((copies, shard) =>
      copies.map((copy) => shardRow(call, services, index, shard, copy)),
    ),
  );
}

function shardRow(
  call: Call,
  services: MasterServices,
  index: IndexMetadata,
  shard: number,
  copy: ShardRouting,
): Record<string, Cell> {
  const counted = isActive(copy) ? countedCopy(services, index, shard, copy, call.now) : undefined;
  const store = counted?.store;
  const node = copy.node === undefined ? undefined : services.core.state.nodes.get(copy.node);
  const target = copy.state === 'RELOCATING' ? services.core.state.nodes.get(copy.relocatingNode!) : undefined;
  const info = copy.state === 'UNASSIGNED' || copy.state === 'INITIALIZING' ? copy.unassignedInfo : undefined;
  return {
    index: copy.index,
    shard: copy.shard,
    prirep: copy.primary ? 'p' : 'r',
    state: copy.state,
    ...(store === undefined
      ? {}
      : { docs: store.searchableCount, store: { bytes: store.sizeBytes }, dataset: { bytes: store.sizeBytes } }),
    ip: node?.ip,
    id: node?.id,
    node: target === undefined ? node?.name : `${node?.name} -> ${target.ip} ${target.id} ${target.name}`,
    ...(info === undefined || copy.state !== 'UNASSIGNED'
      ? {}
      : {
          'unassigned.reason': info.reason,
          'unassigned.at': isoTime(info.atMs),
          'unassigned.for': { ms: call.now - info.atMs },
          'unassigned.details': info.details,
        }),
    ...(copy.recoverySource === undefined ? {} : { 'recoverysource.type': copy.recoverySource.type.toLowerCase() }),
    ...(store === undefined || (call.text('h') === undefined && call.text('s') === undefined)
      ? {}
      : {
          ...statCells(call, sumCopies([counted!])),
          'seq_no.max': store.maxSeqNo,
          'seq_no.local_checkpoint': store.maxSeqNo,
          'seq_no.global_checkpoint': store.maxSeqNo,
          'path.data': '/var/lib/elasticsearch',
          'path.state': '/var/lib/elasticsearch',
        }),
  };
}

async function catCount(call: Call): Promise<Rows> {
  const services = await call.master();
  const chosen = chosenIndices(call, services.core.state, { refuseClosed: true });
  const count = chosen.reduce(
    (total, index) => total + sumCopies(activeStores(services, index, call.now).primaries).docs,
    0,
  );
  return [{ epoch: Math.floor(call.now / 1000), timestamp: isoTime(call.now).slice(11, 19), count }];
}

async function catAliases(call: Call): Promise<Rows> {
  const state = await call.state();
  const names = call.list('name');
  const hidden = call.text('expand_wildcards') === undefined;
  const rows = namedIndices(call, state, [], { closed: true, hidden }).flatMap((index) =>
    [...index.aliases].map(([alias, metadata]) => ({
      alias,
      index: index.name,
      filter: metadata.filter === undefined ? '-' : '*',
      'routing.index': metadata.index_routing ?? '-',
      'routing.search': metadata.search_routing ?? '-',
      is_write_index: metadata.is_write_index === undefined ? '-' : String(metadata.is_write_index),
      hidden: metadata.is_hidden === true,
    })),
  );
  return rows.filter((row) => wantedAlias(row, names, call)).map(({ hidden: _, ...row }) => row);
}

function wantedAlias(
  row: { readonly alias: string; readonly hidden: boolean },
  names: readonly string[],
  call: Call,
): boolean {
  const expand = call.text('expand_wildcards');
  const hiddenAllowed =
    expand === undefined ? names.length === 0 || !names.some((name) => name.includes('*')) : /all|hidden/.test(expand);
  const matches = names.length === 0 || names.some((name) => name === '_all' || wildcardToRegExp(name).test(row.alias));
  const dotted = names.some((name) => name.startsWith('.'));
  return matches && (!row.hidden || hiddenAllowed || dotted || names.includes(row.alias));
}

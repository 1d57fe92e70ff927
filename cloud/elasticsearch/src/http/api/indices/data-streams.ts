import type { Document } from '@drover/formats';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import { illegalArgument, indexNotFound, NotModelled } from '../../../engine/errors.ts';
import { rollOver } from '../../../engine/indices/create-data-stream.ts';
import type { Creation } from '../../../engine/indices/create-index.ts';
import { aliasTargets, backingIndices } from '../../../engine/indices/index-expressions.ts';
import { matchingTemplates } from '../../../engine/indices/templates.ts';
import { type ClusterState, enoughActive } from '../../../engine/state/cluster-state.ts';
import { type DataStream, dataStreams, withoutDataStream, withoutIndex } from '../../../engine/state/data-stream.ts';
import { indexSetting } from '../../../engine/state/index-metadata.ts';
import { isActive } from '../../../engine/state/shard.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import type { Call } from '../../call.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const dataStreamRoutes: readonly Endpoint[] = [
  {
    api: 'indices.get_data_stream',
    action: 'indices:admin/data_stream/get',
    without: ['include_defaults', 'verbose'],
    indices: (call) => call.list('name'),
    run: get,
  },
  {
    api: 'indices.delete_data_stream',
    action: 'indices:admin/data_stream/delete',
    indices: (call) => call.list('name'),
    run: remove,
  },
  {
    api: 'indices.data_streams_stats',
    action: 'indices:monitor/data_stream/stats',
    indices: (call) => call.list('name'),
    run: stats,
  },
  {
    api: 'indices.rollover',
    action: 'indices:admin/rollover',
    only: ['POST /{alias}/_rollover'],
    without: ['lazy'],
    indices: (call) => call.list('alias'),
    run: roll,
  },
];

function select(call: Call, state: ClusterState): DataStream[] {
  const names = call.list('name');
  const all = [...dataStreams(state).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const name of names)
    if (!name.includes('*') && name !== '_all' && !all.some((stream) => stream.name === name))
      throw indexNotFound(name);
  const hidden = /all|hidden/.test(call.text('expand_wildcards') ?? '');
  const means = (pattern: string, stream: DataStream) =>
    pattern === stream.name || ((hidden || !stream.hidden) && wildcardToRegExp(pattern).test(stream.name));
  return all.filter((stream) =>
    (names.length === 0 ? ['*'] : names).some((name) => means(name.replace('_all', '*'), stream)),
  );
}

async function get(call: Call): Promise<Reply> {
  const state = await call.state();
  return { body: { data_streams: select(call, state).map((stream) => streamBody(call, state, stream)) } };
}

function streamBody(call: Call, state: ClusterState, stream: DataStream): Document {
  const { names } = matchingTemplates(state, stream.name, call.version);
  const managed = (policy: string | undefined) => ({
    prefer_ilm: true,
    ...(policy === undefined ? {} : { ilm_policy: policy }),
    managed_by: policy === undefined ? 'Unmanaged' : 'Index Lifecycle Management',
  });
  const indices = backingIndices(state, stream);
  const policyOf = (index: (typeof indices)[number]) => indexSetting(index, 'index.lifecycle.name');
  const last = indices.at(-1);
  const { managed_by, ...next } = managed(last === undefined ? undefined : policyOf(last));
  return {
    name: stream.name,
    timestamp_field: { name: '@timestamp' },
    indices: indices.map((index) => ({
      index_name: index.name,
      index_uuid: index.uuid,
      ...managed(policyOf(index)),
      index_mode: 'standard',
    })),
    generation: stream.generation,
    status: statusOf(state, stream),
    ...(names[0] === undefined ? {} : { template: names[0] }),
    ...next,
    next_generation_managed_by: managed_by,
    hidden: stream.hidden,
    system: false,
    allow_custom_routing: false,
    replicated: false,
    rollover_on_write: false,
    settings: {},
    mappings: {},
    failure_store: { enabled: false, rollover_on_write: false, indices: [] },
    index_mode: 'standard',
  };
}

function statusOf(state: ClusterState, stream: DataStream): 'GREEN' | 'YELLOW' | 'RED' {
  const shards = stream.indices.flatMap((name) => state.routing.get(name) ?? []);
  if (shards.some((copies) => !copies.some((copy) => copy.primary && isActive(copy)))) return 'RED';
  return shards.every((copies) => copies.every(isActive)) ? 'GREEN' : 'YELLOW';
}

const creationOf = (call: Call, { core }: MasterServices): Creation => ({
  nowMs: call.now,
  uuid: core.newId(),
  version: call.version,
  settings: core.settings,
  warn: (text) => call.warnings.push(text),
});

async function remove(call: Call): Promise<Reply> {
  const services = await call.master();
  const { core, allocation } = services;
  const chosen = select(call, core.state);
  const indices = chosen.flatMap((stream) => backingIndices(core.state, stream));
  services.snapshots.refuseBusy(indices, 'delete');
  core.update((state) => {
    const without = chosen.reduce((now, { name }) => withoutDataStream(now, name), state);
    return allocation.reroute(indices.reduce((now, index) => withoutIndex(now, index, call.now), without));
  });
  return { body: { acknowledged: true } };
}

async function stats(call: Call): Promise<Reply> {
  const services = await call.master();
  const { state } = services.core;
  const bytes = (name: string) =>
    (state.routing.get(name) ?? []).reduce(
      (total, _copies, shard) => total + services.shardBytes({ index: name, shard }),
      0,
    );
  const chosen = select(call, state).map(({ name, indices }) => ({
    data_stream: name,
    backing_indices: indices.length,
    store_size_bytes: indices.reduce((total, index) => total + bytes(index), 0),
    maximum_timestamp: 0,
  }));
  const sum = (member: 'backing_indices' | 'store_size_bytes') =>
    chosen.reduce((total, stream) => total + stream[member], 0);
  const shards = chosen.length === 0 ? 0 : sum('backing_indices');
  return {
    body: {
      _shards: { total: shards, successful: shards, failed: 0 },
      data_stream_count: chosen.length,
      backing_indices: sum('backing_indices'),
      total_store_size_bytes: sum('store_size_bytes'),
      data_streams: chosen,
    },
  };
}

/** Rolls a data stream over. Aliases and conditions are refused: they are not modelled. */
async function roll(call: Call): Promise<Reply> {
  const services = await call.master();
  const { core, allocation } = services;
  const name = call.text('alias')!;
  const stream = dataStreams(core.state).get(name);
  if (stream === undefined) throw notRolled(core.state, name);
  if (Object.keys(call.object()).length > 0) throw new NotModelled('conditions of a rollover');
  const old = stream.indices.at(-1)!;
  const rolled = rollOver(core.state, stream, creationOf(call, services));
  const next = dataStreams(rolled).get(name)!.indices.at(-1)!;
  const dryRun = call.flag('dry_run');
  if (!dryRun) core.update(() => allocation.reroute(rolled));
  const active =
    dryRun || (await core.waitUntil(() => enoughActive(core.state, next, 1), call.timeMs('timeout', 30_000)));
  return {
    body: {
      acknowledged: !dryRun,
      shards_acknowledged: !dryRun && active,
      old_index: old,
      new_index: next,
      rolled_over: !dryRun,
      dry_run: dryRun,
      conditions: {},
    },
  };
}

function notRolled(state: ClusterState, name: string) {
  if (aliasTargets(state, name).length > 0) return new NotModelled('the rollover of an alias');
  return illegalArgument(
    state.indices.has(name)
      ? 'rollover target is a [concrete index] but one of [alias,data_stream] was expected'
      : `rollover target [${name}] does not exist`,
  );
}

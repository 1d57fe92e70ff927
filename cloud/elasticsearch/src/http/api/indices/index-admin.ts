import { readableShards } from '../../../engine/documents/read-shards.ts';
import type { ShardStore } from '../../../engine/documents/shard-store.ts';
import { illegalArgument, validationFailed } from '../../../engine/errors.ts';
import { resolveIndices } from '../../../engine/indices/index-expressions.ts';
import { fieldType, mergeMappings, readMappings } from '../../../engine/indices/mappings.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import { enoughActive } from '../../../engine/state/cluster-state.ts';
import { changeIndex, type IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { isActive, type ShardRouting } from '../../../engine/state/shard.ts';
import { isXObject, type XObject } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { expressionOptions, expressionParams } from '../../index-expressions.ts';
import type { Reply, Route } from '../../routes/route.ts';
import { includeTypeName, mappingsBody } from './indices.ts';

const indices = (call: Call) => call.list('index');
const masterParams = ['master_timeout', 'timeout', ...expressionParams];

export const indexAdminRoutes: readonly Route[] = [
  {
    api: 'indices.get_mapping',
    action: 'indices:admin/mappings/get',
    methods: ['GET', 'HEAD'],
    paths: ['/_mapping', '/_mappings', '/{index}/_mapping', '/{index}/_mappings', '/{index}/_mapping/{type}'],
    params: ['local', 'include_type_name', ...masterParams],
    indices,
    run: getMapping,
  },
  {
    api: 'indices.put_mapping',
    action: 'indices:admin/mapping/put',
    methods: ['PUT', 'POST'],
    paths: ['/{index}/_mapping', '/{index}/_mappings'],
    params: ['write_index_only', 'include_type_name', ...masterParams],
    indices,
    run: putMapping,
  },
  {
    api: 'indices.close',
    action: 'indices:admin/close',
    methods: ['POST'],
    paths: ['/{index}/_close'],
    params: ['wait_for_active_shards', ...masterParams],
    indices,
    run: close,
  },
  {
    api: 'indices.open',
    action: 'indices:admin/open',
    methods: ['POST'],
    paths: ['/{index}/_open'],
    params: ['wait_for_active_shards', ...masterParams],
    indices,
    run: open,
  },
  {
    api: 'indices.refresh',
    action: 'indices:admin/refresh',
    methods: ['GET', 'POST'],
    paths: ['/_refresh', '/{index}/_refresh'],
    params: expressionParams,
    indices,
    run: (call) => broadcast(call, (store) => store.refresh()),
  },
  {
    api: 'indices.flush',
    action: 'indices:admin/flush',
    methods: ['GET', 'POST'],
    paths: ['/_flush', '/{index}/_flush', '/_flush/synced', '/{index}/_flush/synced'],
    params: ['force', 'wait_if_ongoing', ...expressionParams],
    indices,
    run: (call) => broadcast(call, () => {}),
  },
  {
    api: 'indices.forcemerge',
    action: 'indices:admin/forcemerge',
    methods: ['POST'],
    paths: ['/_forcemerge', '/{index}/_forcemerge'],
    params: ['max_num_segments', 'only_expunge_deletes', 'flush', 'wait_for_completion', ...expressionParams],
    indices,
    run: (call) => broadcast(call, (store) => store.merge()),
  },
  {
    api: 'indices.clear_cache',
    action: 'indices:admin/cache/clear',
    methods: ['POST'],
    paths: ['/_cache/clear', '/{index}/_cache/clear'],
    params: ['query', 'fielddata', 'request', 'fields', ...expressionParams],
    indices,
    run: (call) => broadcast(call, () => {}),
  },
  {
    api: 'indices.analyze',
    action: 'indices:admin/analyze',
    methods: ['GET', 'POST'],
    paths: ['/_analyze', '/{index}/_analyze'],
    indices,
    run: analyze,
  },
  {
    api: 'indices.get_field_mapping',
    action: 'indices:admin/mappings/fields/get',
    methods: ['GET'],
    paths: ['/_mapping/field/{fields}', '/{index}/_mapping/field/{fields}'],
    params: ['include_defaults', 'local', 'include_type_name', ...expressionParams],
    indices,
    run: getFieldMapping,
  },
];

async function getMapping(call: Call): Promise<Reply> {
  const chosen = resolveIndices(
    await call.state(),
    call.list('index'),
    expressionOptions(call, { closed: true }),
    call.now,
  );
  return { body: Object.fromEntries(chosen.map((index) => [index.name, { mappings: mappingsBody(call, index) }])) };
}

async function getFieldMapping(call: Call): Promise<Reply> {
  const chosen = resolveIndices(
    await call.state(),
    call.list('index'),
    expressionOptions(call, { closed: true }),
    call.now,
  );
  const fields = (index: IndexMetadata) =>
    Object.fromEntries(
      call.list('fields').flatMap((name) => {
        const type = fieldType(index.mappings, name);
        return type === undefined
          ? []
          : [[name, { full_name: name, mapping: { [name.split('.').at(-1)!]: { type } } }]];
      }),
    );
  return { body: Object.fromEntries(chosen.map((index) => [index.name, { mappings: fields(index) }])) };
}

async function putMapping(call: Call): Promise<Reply> {
  if (!isXObject(call.body)) throw validationFailed(['mapping source is missing']);
  const { mapping } = readMappings(call.body, includeTypeName(call));
  const { core } = await call.master();
  const chosen = resolveIndices(core.state, call.list('index'), expressionOptions(call, { closed: true }), call.now);
  core.update((state) => chosen.reduce((now, { name }) => withMapping(now, name, mapping), state));
  return { body: { acknowledged: true } };
}

function withMapping(state: ClusterState, name: string, mapping: XObject): ClusterState {
  const index = state.indices.get(name)!;
  const changed = changeIndex(index, {
    mappings: mergeMappings(index.mappings, mapping),
    mappingVersion: index.mappingVersion + 1,
  });
  return { ...state, indices: new Map(state.indices).set(name, changed) };
}

async function close(call: Call): Promise<Reply> {
  const { core, allocation, snapshots } = await call.master();
  const chosen = resolveIndices(
    core.state,
    call.list('index'),
    expressionOptions(call, { closed: false }),
    call.now,
  ).filter((index) => index.state === 'open');
  snapshots.refuseBusy(chosen, 'close');
  core.update((state) =>
    allocation.reroute(chosen.reduce((now, { name }) => reopened(now, name, 'close', call.now), state)),
  );
  await core.waitUntil(
    () => chosen.every(({ name }) => enoughActive(core.state, name, 1)),
    call.timeMs('timeout', 30_000),
  );
  const results = Object.fromEntries(chosen.map(({ name }) => [name, { closed: true }]));
  return { body: { acknowledged: true, shards_acknowledged: true, indices: results } };
}

async function open(call: Call): Promise<Reply> {
  const { core, allocation } = await call.master();
  const chosen = resolveIndices(
    core.state,
    call.list('index'),
    expressionOptions(call, { open: false, closed: true }),
    call.now,
  ).filter((index) => index.state === 'close');
  core.update((state) =>
    allocation.reroute(chosen.reduce((now, { name }) => reopened(now, name, 'open', call.now), state)),
  );
  const active = await core.waitUntil(
    () => chosen.every(({ name }) => enoughActive(core.state, name, 1)),
    call.timeMs('timeout', 30_000),
  );
  return { body: { acknowledged: true, shards_acknowledged: active } };
}

/** Opening and closing assign every copy anew from what is on the disks; closed indices stay replicated. */
function reopened(state: ClusterState, name: string, to: 'open' | 'close', nowMs: number): ClusterState {
  const index = state.indices.get(name)!;
  const unassign = (copy: ShardRouting): ShardRouting => ({
    index: copy.index,
    indexUUID: copy.indexUUID,
    shard: copy.shard,
    primary: copy.primary,
    state: 'UNASSIGNED',
    recoverySource: {
      type: copy.primary ? (index.inSync[copy.shard]!.length > 0 ? 'EXISTING_STORE' : 'EMPTY_STORE') : 'PEER',
    },
    unassignedInfo: {
      reason: to === 'open' ? 'INDEX_REOPENED' : 'INDEX_CLOSED',
      atMs: nowMs,
      failedAllocations: 0,
      failedNodes: [],
      delayed: false,
      allocationStatus: 'no_attempt',
      ...(copy.node === undefined ? {} : { lastNode: copy.node }),
    },
  });
  const { 'index.verified_before_close': _, ...settings } = index.settings;
  const changed = changeIndex(index, {
    state: to,
    settings: to === 'close' ? { ...settings, 'index.verified_before_close': 'true' } : settings,
  });
  return {
    ...state,
    indices: new Map(state.indices).set(name, changed),
    routing: new Map(state.routing).set(
      name,
      state.routing.get(name)!.map((copies) => copies.map(unassign)),
    ),
  };
}

/** Something done to every copy of some indices. */
function broadcast(call: Call, act: (store: ShardStore) => void): Reply {
  const state = call.localState();
  const chosen = resolveIndices(state, call.list('index'), expressionOptions(call, { refuseClosed: true }), call.now);
  const stores = new Set(readableShards(call.cluster, call.node, state, chosen).flatMap(({ store }) => store ?? []));
  for (const store of stores) act(store);
  const copies = chosen.flatMap((index) => (state.routing.get(index.name) ?? []).flat());
  const successful = copies.filter(isActive).length;
  return { body: { _shards: { total: copies.length, successful, failed: 0 } } };
}

/** Words in lower case: the standard analyzer as far as plain text goes. */
function analyze(call: Call): Reply {
  const body = call.object();
  if (body.text === undefined) throw validationFailed(['text is missing']);
  const text = Array.isArray(body.text) ? body.text.map(String).join(' ') : String(body.text);
  if (body.analyzer !== undefined && !['standard', 'simple', 'whitespace', 'keyword'].includes(String(body.analyzer)))
    throw illegalArgument(`failed to find global analyzer [${body.analyzer}]`);
  const tokens = [...text.matchAll(/[\p{L}\p{N}_]+/gu)].map((match, position) => ({
    token: match[0].toLowerCase(),
    start_offset: match.index,
    end_offset: match.index + match[0].length,
    type: /^\d+$/.test(match[0]) ? '<NUM>' : '<ALPHANUM>',
    position,
  }));
  return { body: { tokens } };
}

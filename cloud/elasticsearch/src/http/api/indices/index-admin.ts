import { readableShards } from '../../../engine/documents/read-shards.ts';
import type { ShardStore } from '../../../engine/documents/shard-store.ts';
import { validationFailed } from '../../../engine/errors.ts';
import { refuseTooManyShards, shardCount } from '../../../engine/indices/create-index.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import { enoughActive } from '../../../engine/state/cluster-state.ts';
import { changeIndex, type IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { isActive, type ShardRouting } from '../../../engine/state/shard.ts';
import type { Call } from '../../call.ts';
import { chosenIndices, refuseWildcards } from '../../index-expressions.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { mappingsBody } from './indices.ts';

const indices = (call: Call) => call.list('index');

export const indexAdminRoutes: readonly Endpoint[] = [
  {
    api: 'indices.get_mapping',
    action: 'indices:admin/mappings/get',
    also: [
      'HEAD /_mapping',
      'GET /_mappings',
      'HEAD /_mappings',
      'HEAD /{index}/_mapping',
      'GET /{index}/_mappings',
      'HEAD /{index}/_mappings',
    ],
    params: ['include_type_name'],
    indices,
    run: getMapping,
  },
  {
    api: 'indices.get_mapping',
    action: 'indices:admin/mappings/get',
    only: ['GET /{index}/_mapping/{type}', 'HEAD /{index}/_mapping/{type}'],
    params: ['include_type_name'],
    below: '8.0.0',
    indices,
    run: getMapping,
  },
  {
    api: 'indices.close',
    action: 'indices:admin/close',
    also: ['POST /_close'],
    indices,
    run: close,
  },
  {
    api: 'indices.open',
    action: 'indices:admin/open',
    indices,
    run: open,
  },
  {
    api: 'indices.refresh',
    action: 'indices:admin/refresh',
    indices,
    run: (call) => broadcast(call, (store) => store.refresh()),
  },
  {
    api: 'indices.flush',
    action: 'indices:admin/flush',
    indices,
    run: (call) => broadcast(call, (store) => store.flush()),
  },
];

/** A setting that a closed index has. */
const verified = 'index.verified_before_close';

async function getMapping(call: Call): Promise<Reply> {
  const chosen = chosenIndices(call, await call.state(), { closed: true });
  return { body: Object.fromEntries(chosen.map((index) => [index.name, { mappings: mappingsBody(call, index) }])) };
}

async function close(call: Call): Promise<Reply> {
  if (call.list('index').length === 0) throw validationFailed(['index is missing']);
  const { core, allocation, snapshots } = await call.master();
  refuseWildcards(call, core.settings);
  const chosen = chosenIndices(call, core.state, { closed: false }).filter((index) => index.state === 'open');
  snapshots.refuseBusy(chosen, 'close');
  for (const store of storesOf(call, chosen)) store.flush();
  core.update((state) =>
    allocation.reroute(chosen.reduce((now, { name }) => reassigned(now, name, 'close', call.now), state)),
  );
  await core.waitUntil(
    () => chosen.every(({ name }) => enoughActive(core.state, name, 1)),
    call.timeMs('timeout', 30_000),
  );
  const results = Object.fromEntries(chosen.map(({ name }) => [name, { closed: true }]));
  return { body: { acknowledged: true, shards_acknowledged: chosen.length > 0, indices: results } };
}

async function open(call: Call): Promise<Reply> {
  const { core, allocation } = await call.master();
  refuseWildcards(call, core.settings);
  const chosen = chosenIndices(call, core.state, { open: false, closed: true }).filter(
    (index) => index.state === 'close',
  );
  const added = chosen.reduce((sum, { settings }) => sum + shardCount(settings), 0);
  refuseTooManyShards(core.state, added, core.settings, call.version);
  core.update((state) =>
    allocation.reroute(chosen.reduce((now, { name }) => reassigned(now, name, 'open', call.now), state)),
  );
  const shards_acknowledged = await core.waitUntil(
    () => chosen.every(({ name }) => enoughActive(core.state, name, 1)),
    call.timeMs('timeout', 30_000),
  );
  return { body: { acknowledged: true, shards_acknowledged } };
}

/** Closing and opening reassign every copy from what is on the disks; closed indices stay replicated. */
function reassigned(state: ClusterState, name: string, to: IndexMetadata['state'], nowMs: number): ClusterState {
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
      reason: to === 'close' ? 'INDEX_CLOSED' : 'INDEX_REOPENED',
      atMs: nowMs,
      failedAllocations: 0,
      failedNodes: [],
      delayed: false,
      allocationStatus: 'no_attempt',
      ...(copy.node === undefined ? {} : { lastNode: copy.node }),
    },
  });
  const { [verified]: _, ...settings } = index.settings;
  const changed = changeIndex(index, {
    state: to,
    settings: to === 'close' ? { ...settings, [verified]: 'true' } : settings,
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

const storesOf = (call: Call, chosen: readonly IndexMetadata[]) =>
  new Set(readableShards(call.cluster, call.node, call.localState(), chosen).flatMap(({ store }) => store ?? []));

/** Something done to every copy of some indices. */
function broadcast(call: Call, act: (store: ShardStore) => void): Reply {
  const state = call.localState();
  const chosen = chosenIndices(call, state, { refuseClosed: true });
  for (const store of storesOf(call, chosen)) act(store);
  const copies = chosen.flatMap((index) => (state.routing.get(index.name) ?? []).flat());
  const successful = copies.filter(isActive).length;
  return { body: { _shards: { total: copies.length, successful, failed: 0 } } };
}

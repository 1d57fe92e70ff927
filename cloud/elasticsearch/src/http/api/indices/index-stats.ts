import type { Document } from '@drover/formats';
import { indexHealth } from '../../../engine/coordination/health.ts';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import type { ShardStore } from '../../../engine/documents/shard-store.ts';
import { type CountedCopy, sumCopies } from '../../../engine/documents/store-totals.ts';
import { illegalArgument } from '../../../engine/errors.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import type { IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { isActive, type ShardRouting } from '../../../engine/state/shard.ts';
import type { Call } from '../../call.ts';
import { activeStores, countedCopy } from '../../cat/cat-indices.ts';
import { chosenIndices, expressionParams } from '../../index-expressions.ts';
import { withHuman } from '../../responses/human.ts';
import { chooseSections, namedSections, statSections } from '../../responses/stat-sections.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

const indices = (call: Call) => call.list('index');

export const indexStatsRoutes: readonly Endpoint[] = [
  {
    api: 'indices.stats',
    action: 'indices:monitor/stats',
    params: [...expressionParams],
    indices,
    run: stats,
  },
];

async function stats(call: Call): Promise<Reply> {
  const wanted = namedSections(call, call.list('metric'), 'shards');
  const level = call.text('level') ?? 'indices';
  if (!['cluster', 'indices', 'shards'].includes(level))
    throw illegalArgument(`level parameter must be one of [cluster] or [indices] or [shards] but was [${level}]`);
  const services = await call.master();
  const refuseClosed = call.flag('forbid_closed_indices', true);
  const chosen = chosenIndices(call, services.core.state, { refuseClosed });
  const each = chosen.map((index) => ({ index, stores: activeStores(services, index, call.now) }));
  const section = (stores: Parameters<typeof sumCopies>[0]) =>
    chooseSections(statSections(call, sumCopies(stores)), wanted);
  const copies = chosen.flatMap(({ name }) => (services.core.state.routing.get(name) ?? []).flat());
  const bodies = each.map(
    ({ index, stores }) =>
      [
        index.name,
        {
          ...indexHead(call, services, index),
          primaries: section(stores.primaries),
          total: section(stores.all),
          ...(level === 'shards' ? { shards: shardsBody(call, services, index, wanted) } : {}),
        },
      ] as const,
  );
  return {
    body: withHuman(call, {
      _shards: { total: copies.length, successful: copies.filter(isActive).length, failed: 0 },
      _all: {
        primaries: section(each.flatMap(({ stores }) => stores.primaries)),
        total: section(each.flatMap(({ stores }) => stores.all)),
      },
      ...(level === 'cluster' ? {} : { indices: Object.fromEntries(bodies) }),
    }),
  };
}

function indexHead(call: Call, services: MasterServices, index: IndexMetadata): Document {
  if (!call.atLeast('8.1.0')) return { uuid: index.uuid };
  return { uuid: index.uuid, health: indexHealth(services.core.state, index).status, status: index.state };
}

function shardsBody(
  call: Call,
  services: MasterServices,
  index: IndexMetadata,
  wanted: ReadonlySet<string> | undefined,
): Document {
  const { state } = services.core;
  const details = (copy: ShardRouting, shard: number) => {
    const counted = isActive(copy) ? countedCopy(services, index, shard, copy, call.now) : undefined;
    return counted === undefined ? [] : [shardDetails(call, state, copy, counted, wanted)];
  };
  const shards = state.routing.get(index.name) ?? [];
  return Object.fromEntries(shards.map((copies, shard) => [shard, copies.flatMap((copy) => details(copy, shard))]));
}

/** Everything that is known of one copy. */
function shardDetails(
  call: Call,
  state: ClusterState,
  copy: ShardRouting,
  counted: CountedCopy,
  wanted: ReadonlySet<string> | undefined,
): Document {
  const { store } = counted;
  return {
    routing: {
      state: copy.state,
      primary: copy.primary,
      node: copy.node!,
      relocating_node: copy.relocatingNode ?? null,
    },
    ...chooseSections(statSections(call, sumCopies([counted])), wanted),
    commit: {
      id: `${copy.allocationId}==`,
      generation: 3,
      user_data: { local_checkpoint: String(store.committedSeqNo), max_seq_no: String(store.committedSeqNo) },
      num_docs: store.count,
    },
    seq_no: { max_seq_no: store.maxSeqNo, local_checkpoint: store.maxSeqNo, global_checkpoint: store.maxSeqNo },
    retention_leases: leasesBody(call, state, copy, store),
    shard_path: {
      state_path: '/var/lib/elasticsearch',
      data_path: '/var/lib/elasticsearch',
      is_custom_data_path: false,
    },
    search_idle: false,
    search_idle_time: 0,
  };
}

/** One lease for each node with a copy in sync, as the primary has sent them to all. */
function leasesBody(call: Call, state: ClusterState, { index, shard }: ShardRouting, store: ShardStore): Document {
  const copies = (state.routing.get(index)?.[shard] ?? []).filter(isActive);
  const retained = store.retainedSeqNo(call.now);
  return {
    primary_term: state.indices.get(index)!.primaryTerms[shard]!,
    version: retained + copies.length,
    leases: copies.map(({ node }) => ({
      id: `peer_recovery/${node}`,
      retaining_seq_no: retained,
      timestamp: call.now,
      source: 'peer recovery',
    })),
  };
}

import type { Document, Value } from '@drover/formats';
import { RoutingNodes } from '../../../engine/allocation/routing-nodes.ts';
import { SettingsView } from '../../../engine/coordination/settings.ts';
import { routingShardsFor } from '../../../engine/documents/routing-hash.ts';
import { type Block, clusterBlocks, indexBlocks } from '../../../engine/indices/blocks.ts';
import { resolveIndices } from '../../../engine/indices/index-expressions.ts';
import type { RunningSnapshot } from '../../../engine/snapshots/snapshot-service.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import type { IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { type DiscoveryNode, transportAddress } from '../../../engine/state/node-info.ts';
import type { ShardRouting, UnassignedInfo } from '../../../engine/state/shard.ts';
import { indexVersionId, transportVersion } from '../../../engine/state/versions.ts';
import { nestSettings } from '../../../engine/values/flat-settings.ts';
import { isoTime } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { expressionOptions } from '../../index-expressions.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const clusterStateRoutes: readonly Endpoint[] = [
  {
    api: 'cluster.state',
    action: 'cluster:monitor/state',
    run: getState,
  },
];

async function getState(call: Call): Promise<Reply> {
  const state = await call.state();
  const chosen = resolveIndices(
    state,
    call.list('index'),
    expressionOptions(call, {
      closed: true,
      hidden: true,
      ...(call.list('index').length > 0 ? { hidden: false, ignoreUnavailable: true } : {}),
    }),
    call.now,
  );
  const metrics = call.list('metric');
  return {
    body: {
      cluster_name: call.cluster.clusterName,
      cluster_uuid: state.clusterUUID,
      ...stateBody(call, state, chosen, metrics.length === 0 ? ['_all'] : metrics),
    },
  };
}

/** The requested parts of a cluster state. */
export function stateBody(
  call: Call,
  state: ClusterState,
  indices: readonly IndexMetadata[],
  metrics: readonly string[],
): Document {
  const wants = (name: string) => metrics.includes('_all') || metrics.includes(name);
  return {
    ...(wants('version') ? { version: state.version, state_uuid: state.stateUUID } : {}),
    ...(wants('master_node') ? { master_node: state.masterId ?? null } : {}),
    ...(wants('blocks') ? { blocks: blocksBody(call, state, indices) } : {}),
    ...(wants('nodes')
      ? { nodes: Object.fromEntries([...state.nodes.values()].map((node) => [node.id, nodeBody(call, node)])) }
      : {}),
    ...(wants('nodes') && call.atLeast('8.8.0') ? nodeVersions(state) : {}),
    ...(wants('metadata') ? { metadata: metadataBody(call, state, indices) } : {}),
    ...(wants('routing_table') ? { routing_table: { indices: routingTable(state, indices) } } : {}),
    ...(wants('routing_nodes') ? { routing_nodes: routingNodes(state, indices) } : {}),
    ...(wants('customs') ? customs(call, state) : {}),
  };
}

/** The versions that nodes can read of each other, by node. */
const nodeVersions = ({ nodes }: ClusterState): Document => ({
  nodes_versions: [...nodes.values()].map(({ id, version }) => ({
    node_id: id,
    transport_version: String(transportVersion(version)),
    mappings_versions: {},
  })),
  nodes_features: [...nodes.keys()].map((id) => ({ node_id: id, features: [] })),
});

/** Parts of the state that modules of the server add. */
function customs(call: Call, state: ClusterState): Document {
  const view = new SettingsView(state, call.cluster.options.settings ?? {});
  const running = call.cluster.servicesOf(call.node)?.snapshots.running ?? [];
  const disk = 'cluster.routing.allocation.disk.watermark';
  return {
    snapshots: { snapshots: running.map(runningBody), node_ids_for_removal: [] },
    snapshot_deletions: { snapshot_deletions: [] },
    repository_cleanup: { repository_cleanup: [] },
    health: {
      disk: {
        high_watermark: view.text(`${disk}.high`),
        high_max_headroom: view.text(`${disk}.high.max_headroom`),
        flood_stage_watermark: view.text(`${disk}.flood_stage`),
        flood_stage_max_headroom: view.text(`${disk}.flood_stage.max_headroom`),
        frozen_flood_stage_watermark: view.text(`${disk}.flood_stage.frozen`),
        frozen_flood_stage_max_headroom: view.text(`${disk}.flood_stage.frozen.max_headroom`),
      },
      shard_limits: {
        max_shards_per_node: view.number('cluster.max_shards_per_node'),
        max_shards_per_node_frozen: view.number('cluster.max_shards_per_node.frozen'),
      },
    },
  };
}

const runningBody = ({ repository, info, partial }: RunningSnapshot): Document => ({
  repository,
  snapshot: info.name,
  uuid: info.uuid,
  partial,
  state: 'STARTED',
});

export function nodeBody(call: Call, node: DiscoveryNode): Document {
  return {
    name: node.name,
    ephemeral_id: node.ephemeralId,
    transport_address: transportAddress(node),
    ...(call.atLeast('8.3.0') ? { external_id: node.name } : {}),
    attributes: node.attributes,
    ...(call.atLeast('7.15.0') ? { roles: node.roles } : {}),
    ...(call.atLeast('8.8.0')
      ? {
          version: node.version,
          min_index_version: (call.major - 1) * 1_000_000 + 99,
          max_index_version: indexVersionId(node.version),
        }
      : {}),
  };
}

function blocksBody(call: Call, state: ClusterState, indices: readonly IndexMetadata[]): Document {
  const global: Record<string, Value> = {};
  if (state.masterId === undefined)
    global['2'] = {
      description: 'no master',
      retryable: true,
      disable_state_persistence: true,
      levels: ['write', 'metadata_write'],
    };
  Object.assign(global, blockBodies(clusterBlocks(state)));
  const perIndex = indices.flatMap((index) => {
    const closed = index.state === 'close' ? { '4': closedBlock } : {};
    const blocks = { ...closed, ...blockBodies(indexBlocks(index, call.version)) };
    return Object.keys(blocks).length === 0 ? [] : [[index.name, blocks] as const];
  });
  return {
    ...(Object.keys(global).length === 0 ? {} : { global }),
    ...(perIndex.length === 0 ? {} : { indices: Object.fromEntries(perIndex) }),
  };
}

const closedBlock = { description: 'index closed', retryable: false, levels: ['read', 'write'] };

const blockBodies = (blocks: readonly Block[]): Document =>
  Object.fromEntries(
    blocks.map(({ id, description, levels }) => [String(id), { description, retryable: false, levels }]),
  );

function metadataBody(call: Call, state: ClusterState, indices: readonly IndexMetadata[]): Document {
  return {
    cluster_uuid: state.clusterUUID,
    cluster_uuid_committed: state.clusterUUID !== '_na_',
    cluster_coordination: {
      term: state.term,
      last_committed_config: state.votingConfig,
      last_accepted_config: state.votingConfig,
      voting_config_exclusions: state.votingExclusions.map(({ nodeId, nodeName }) => ({
        node_id: nodeId,
        node_name: nodeName,
      })),
    },
    templates: Object.fromEntries([...state.legacyTemplates.values()].map(({ name, body }) => [name, body])),
    indices: Object.fromEntries(indices.map((index) => [index.name, indexMetadata(call, index)])),
    ...(state.repositories.size === 0
      ? {}
      : {
          repositories: Object.fromEntries(
            [...state.repositories.values()].map((r) => [
              r.name,
              { type: r.type, uuid: r.uuid, settings: r.settings, generation: 0, pending_generation: 0 },
            ]),
          ),
        }),
    ...(call.atLeast('8.4.0') ? { reserved_state: {} } : {}),
    ...(state.shutdowns.size === 0 ? {} : { node_shutdown: shutdownMetadata(state) }),
    'index-graveyard': {
      tombstones: state.tombstones.map(({ index, uuid, atMs }) => ({
        index: { index_name: index, index_uuid: uuid },
        delete_date_in_millis: atMs,
      })),
    },
  };
}

function shutdownMetadata(state: ClusterState): Document {
  return Object.fromEntries(
    [...state.shutdowns.values()].map((record) => [
      record.nodeId,
      {
        node_id: record.nodeId,
        type: record.type,
        reason: record.reason,
        shutdown_started_millis: record.startedAtMs,
        node_seen: record.nodeSeen,
      },
    ]),
  );
}

function indexMetadata(call: Call, index: IndexMetadata): Document {
  const byShard = <V>(values: readonly V[]) =>
    Object.fromEntries(values.map((value, shard) => [String(shard), value])) as Document;
  const empty = Object.keys(index.mappings).length === 0;
  return {
    version: index.version,
    mapping_version: index.mappingVersion,
    settings_version: index.settingsVersion,
    aliases_version: index.aliasesVersion,
    routing_num_shards: routingShardsFor(index.inSync.length),
    state: index.state,
    settings: call.flag('flat_settings')
      ? sorted(index.settings as Document)
      : nestSettings(index.settings as Record<string, Value>),
    mappings: empty ? {} : { [index.mappingType]: index.mappings },
    aliases: [...index.aliases.keys()],
    primary_terms: byShard(index.primaryTerms),
    in_sync_allocations: byShard(index.inSync),
    rollover_info: {},
    ...(call.atLeast('7.11.0') ? { system: index.system ?? false, timestamp_range: { shards: [] } } : {}),
  };
}

const sorted = (value: Document) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

function routingTable(state: ClusterState, indices: readonly IndexMetadata[]): Document {
  return Object.fromEntries(
    indices.map((index) => [
      index.name,
      {
        shards: Object.fromEntries(
          (state.routing.get(index.name) ?? []).map((copies, shard) => [String(shard), copies.map(shardBody)]),
        ),
      },
    ]),
  );
}

function routingNodes(state: ClusterState, indices: readonly IndexMetadata[]): Document {
  const names = new Set(indices.map((index) => index.name));
  const routing = new RoutingNodes(state, () => '');
  const mine = (shards: readonly ShardRouting[]) => shards.filter((shard) => names.has(shard.index)).map(shardBody);
  return {
    unassigned: mine(routing.unassigned),
    nodes: Object.fromEntries([...routing.byNode].map(([id, shards]) => [id, mine(shards)])),
  };
}

function shardBody(shard: ShardRouting): Document {
  return {
    state: shard.state,
    primary: shard.primary,
    node: shard.node ?? null,
    relocating_node: shard.relocatingNode ?? null,
    shard: shard.shard,
    index: shard.index,
    ...(shard.recoverySource === undefined ? {} : { recovery_source: recoveryBody(shard) }),
    ...(shard.allocationId === undefined
      ? {}
      : {
          allocation_id: {
            id: shard.allocationId,
            ...(shard.relocationId === undefined ? {} : { relocation_id: shard.relocationId }),
          },
        }),
    ...(shard.unassignedInfo === undefined || shard.state === 'STARTED'
      ? {}
      : { unassigned_info: unassignedBody(shard.unassignedInfo) }),
    relocation_failure_info: { failed_attempts: shard.failedRelocations ?? 0 },
  };
}

function recoveryBody(shard: ShardRouting): Document {
  const source = shard.recoverySource!;
  if (source.type === 'EXISTING_STORE')
    return { type: source.type, bootstrap_new_history_uuid: source.bootstrapNewHistoryUUID ?? false };
  if (source.type !== 'SNAPSHOT') return { type: source.type };
  return {
    type: source.type,
    repository: source.repository,
    snapshot: source.snapshot,
    version: source.version,
    index: source.index,
    restoreUUID: source.restoreUUID,
  };
}

function unassignedBody(info: UnassignedInfo): Document {
  return {
    reason: info.reason,
    at: isoTime(info.atMs),
    ...(info.failedAllocations > 0 ? { failed_attempts: info.failedAllocations } : {}),
    ...(info.failedNodes.length > 0 ? { failed_nodes: info.failedNodes } : {}),
    delayed: info.delayed,
    ...(info.lastNode === undefined ? {} : { last_node: info.lastNode }),
    ...(info.details === undefined ? {} : { details: info.details }),
    allocation_status: info.allocationStatus,
  };
}

import type { Document } from '@drover/formats';
import { referencePage } from '../allocation/decision.ts';
import { watermark } from '../allocation/watermarks.ts';
import { slmState } from '../slm/slm-state.ts';
import { isDataNode } from '../state/node-info.ts';
import { isActive, type ShardRouting } from '../state/shard.ts';
import { parseTimeMs } from '../values/units.ts';
import { clusterHealth } from './health.ts';
import type { MasterServices } from './master-services.ts';

export interface Indicator {
  readonly status: 'green' | 'yellow' | 'red' | 'unknown';
  readonly symptom: string;
  readonly details?: Document;
  readonly impacts?: readonly Document[];
  readonly diagnosis?: readonly Document[];
}

/** The health report's indicators, worst of which is the report's status ("Health API"). */
export const indicators: Readonly<Record<string, (services: MasterServices) => Indicator>> = {
  master_is_stable: masterIsStable,
  repository_integrity: repositoryIntegrity,
  disk,
  shards_capacity: shardsCapacity,
  shards_availability: shardsAvailability,
  data_stream_lifecycle: () => ({
    status: 'green',
    symptom:
      'No data stream lifecycle health data available yet. Health information will be reported after the first run.',
  }),
  slm,
  ilm: () => ({
    status: 'green',
    symptom: 'Index Lifecycle Management is running',
    details: { policies: 0, stagnating_indices: 0, ilm_status: 'RUNNING' },
  }),
};

function masterIsStable({ core }: MasterServices): Indicator {
  const master = core.state.nodes.get(core.state.masterId ?? '');
  const body = { node_id: master?.id ?? null, name: master?.name ?? null };
  return {
    status: 'green',
    symptom: 'The cluster has a stable master node',
    details: { current_master: body, recent_masters: master === undefined ? [] : [body] },
  };
}

/** The report of a node that knows of no master. */
export function withoutMaster(
  message: string,
  node: { readonly id: string; readonly name: string },
  lastMaster: { readonly id: string; readonly name: string } | undefined,
): Indicator {
  const id = 'elasticsearch:health:master_is_stable';
  return {
    status: 'red',
    symptom: 'No master node observed in the last 30s, and the master eligible nodes are unable to form a quorum',
    details: {
      current_master: { node_id: null, name: null },
      recent_masters: lastMaster === undefined ? [] : [{ node_id: lastMaster.id, name: lastMaster.name }],
      cluster_formation: [{ node_id: node.id, cluster_formation_message: message, name: node.name }],
    },
    impacts: [
      {
        id: `${id}:impact:ingest_disabled`,
        severity: 1,
        description: 'The cluster cannot create, delete, or rebalance indices, and cannot insert or update documents.',
        impact_areas: ['ingest'],
      },
      {
        id: `${id}:impact:automation_disabled`,
        severity: 1,
        description:
          'Scheduled tasks such as Watcher, Index Lifecycle Management, and Snapshot Lifecycle Management will not work. The _cat APIs will not work.',
        impact_areas: ['deployment_management'],
      },
      {
        id: `${id}:impact:backup_disabled`,
        severity: 3,
        description:
          'Snapshot and restore will not work. Your data will not be backed up, and searchable snapshots cannot be mounted.',
        impact_areas: ['backup'],
      },
    ],
  };
}

function repositoryIntegrity({ core }: MasterServices): Indicator {
  const count = core.state.repositories.size;
  if (count === 0) return { status: 'green', symptom: 'No snapshot repositories configured.' };
  return { status: 'green', symptom: 'All repositories are healthy.', details: { total_repositories: count } };
}

function disk(services: MasterServices): Indicator {
  const { core } = services;
  return diskOf(core.settings, core.state.indices.values(), () => services.members());
}

function diskOf(
  settings: MasterServices['core']['settings'],
  indices: Iterable<{ readonly settings: Readonly<Record<string, unknown>> }>,
  members: () => readonly { readonly diskBytes: number; readonly freeBytes: number }[],
): Indicator {
  const level = (node: { readonly diskBytes: number; readonly freeBytes: number }) =>
    (['flood_stage', 'high'] as const).find(
      (name) => node.freeBytes < watermark(settings, name).minimumFree(node.diskBytes),
    );
  const levels = members().map(level);
  const blocked = [...indices].filter(
    (index) => index.settings['index.blocks.read_only_allow_delete'] === 'true',
  ).length;
  const count = (name: string | undefined) => levels.filter((entry) => entry === name).length;
  const details = {
    indices_with_readonly_block: blocked,
    nodes_with_enough_disk_space: count(undefined),
    nodes_with_unknown_disk_status: 0,
    nodes_over_high_watermark: count('high'),
    nodes_over_flood_stage_watermark: count('flood_stage'),
  };
  if (blocked > 0)
    return {
      status: 'red',
      symptom: `${blocked} ${blocked === 1 ? 'index is' : 'indices are'} not allowed to be updated.`,
      details,
    };
  if (count('flood_stage') > 0)
    return {
      status: 'red',
      symptom: `${count('flood_stage')} node${count('flood_stage') === 1 ? ' is' : 's are'} out of disk or running low on disk space.`,
      details,
    };
  if (count('high') > 0)
    return {
      status: 'yellow',
      symptom: `${count('high')} node${count('high') === 1 ? '' : 's'} with roles: [data, master] ${count('high') === 1 ? 'is' : 'are'} out of disk or running low on disk space.`,
      details,
    };
  return { status: 'green', symptom: 'The cluster has enough available disk space.', details };
}

function shardsCapacity({ core, options }: MasterServices): Indicator {
  const { state, settings } = core;
  const dataNodes = [...state.nodes.values()].filter(isDataNode).length;
  const limit = settings.number('cluster.max_shards_per_node') * dataNodes;
  const used = [...state.routing.values()].flat(2).length;
  const frozen = { max_shards_in_cluster: settings.number('cluster.max_shards_per_node.frozen') * dataNodes };
  const left = limit - used;
  if (left >= 10 * Math.max(1, dataNodes) || left >= 10)
    return {
      status: 'green',
      symptom: 'The cluster has enough room to add new shards.',
      details: { data: { max_shards_in_cluster: limit }, frozen },
    };
  const id = 'elasticsearch:health:shards_capacity';
  return {
    status: left < 5 ? 'red' : 'yellow',
    symptom: 'Cluster is close to reaching the configured maximum number of shards for data nodes.',
    details: { data: { max_shards_in_cluster: limit, current_used_shards: used }, frozen },
    impacts: [
      {
        id: `${id}:impact:upgrade_blocked`,
        severity: 1,
        description: 'The cluster has too many used shards to be able to upgrade.',
        impact_areas: ['deployment_management'],
      },
      {
        id: `${id}:impact:creation_of_new_indices_blocked`,
        severity: 1,
        description: 'The cluster is running low on room to add new shards. Adding data to new indices is at risk',
        impact_areas: ['ingest'],
      },
    ],
    diagnosis: [
      {
        id: `${id}:diagnosis:decrease_shards_per_non_frozen_node`,
        cause:
          'Elasticsearch is about to reach the maximum number of shards it can host as set by [cluster.max_shards_per_node].',
        action:
          'Increase the number of nodes in your cluster or remove some non-frozen indices to reduce the number of shards in the cluster.',
        help_url: referencePage(options.version, 'misc-cluster-settings.html#cluster-shard-limit'),
      },
    ],
  };
}

function shardsAvailability({ core }: MasterServices): Indicator {
  const copies = [...core.state.routing.values()].flat(2);
  const count = (test: (copy: ShardRouting) => boolean) => copies.filter(test).length;
  const restarting = (copy: ShardRouting) => copy.unassignedInfo?.reason === 'NODE_RESTARTING';
  const lost = (copy: ShardRouting) => copy.state === 'UNASSIGNED';
  const details = {
    initializing_primaries: count((copy) => copy.primary && copy.state === 'INITIALIZING'),
    started_primaries: count((copy) => copy.primary && isActive(copy)),
    unassigned_primaries: count((copy) => copy.primary && lost(copy)),
    creating_primaries: 0,
    restarting_primaries: count((copy) => copy.primary && lost(copy) && restarting(copy)),
    initializing_replicas: count((copy) => !copy.primary && copy.state === 'INITIALIZING'),
    started_replicas: count((copy) => !copy.primary && isActive(copy)),
    unassigned_replicas: count((copy) => !copy.primary && lost(copy)),
    creating_replicas: 0,
    restarting_replicas: count((copy) => !copy.primary && lost(copy) && restarting(copy)),
  };
  const { status } = clusterHealth(core.state, [...core.state.indices.values()]);
  const missing = [
    details.unassigned_primaries > 0
      ? `${details.unassigned_primaries} unavailable primary shard${details.unassigned_primaries > 1 ? 's' : ''}`
      : '',
    details.unassigned_replicas > 0
      ? `${details.unassigned_replicas} unavailable replica shard${details.unassigned_replicas > 1 ? 's' : ''}`
      : '',
  ].filter((part) => part !== '');
  return {
    status: missing.length === 0 ? 'green' : status,
    symptom:
      missing.length === 0 ? 'This cluster has all shards available.' : `This cluster has ${missing.join(', ')}.`,
    details,
  };
}

/** Yellow when policies stopped, keep failing, or have made no snapshot within the time they promise. */
function slm({ core }: MasterServices): Indicator {
  const state = slmState(core.state);
  const details = { slm_status: state.mode, policies: state.policies.size };
  if (state.policies.size === 0)
    return { status: 'green', symptom: 'No Snapshot Lifecycle Management policies configured', details };
  if (state.mode !== 'RUNNING')
    return { status: 'yellow', symptom: 'Snapshot Lifecycle Management is not running', details, impacts: [slmImpact] };
  const limit = core.settings.number('slm.health.failed_snapshot_warn_threshold');
  const failing = [...state.policies.values()].filter((entry) => entry.runsSinceSuccess >= limit);
  const now = core.engine.clock.now();
  const missing = [...state.policies.values()].filter(({ policy, lastSuccess, modifiedMs }) => {
    const withinMs =
      policy.unhealthyIfNoSnapshotWithin === undefined ? undefined : parseTimeMs(policy.unhealthyIfNoSnapshotWithin);
    return withinMs !== undefined && now - (lastSuccess?.timeMs ?? modifiedMs) > withinMs;
  });
  if (failing.length === 0 && missing.length === 0)
    return { status: 'green', symptom: 'Snapshot Lifecycle Management is running', details };
  const unhealthy =
    failing.length === 0
      ? {}
      : {
          unhealthy_policies: {
            count: failing.length,
            invocations_since_last_success: Object.fromEntries(
              failing.map(({ id, runsSinceSuccess }) => [id, runsSinceSuccess]),
            ),
          },
        };
  const symptom =
    failing.length > 0
      ? `Encountered [${failing.length}] unhealthy snapshot lifecycle management policies.`
      : `Encountered [${missing.length}] snapshot lifecycle management policies with missing snapshots.`;
  const absent = missing.length === 0 ? {} : { missing_snapshot_policies: missing.map(({ id }) => id) };
  return { status: 'yellow', symptom, details: { ...details, ...unhealthy, ...absent }, impacts: [slmImpact] };
}

const slmImpact: Document = {
  id: 'elasticsearch:health:slm:impact:staled_backups',
  severity: 2,
  description:
    'Some automated snapshots have not had a successful execution recently. Indices restored from affected snapshots may not contain recent changes.',
  impact_areas: ['backup'],
};

import { allShards, clusterHealth, type SearchNode } from '@drover/cloud-elasticsearch';
import type { GroupView } from '@drover/cloud-world';
import { clusterDimension, groupNames, metricNamespace, metrics } from '@drover/core/names/search-cluster';
import { clusterAlarms } from '@drover/operator/cluster/alarms';
import type { ClusterFacts } from '@drover/operator/cluster/doctor/facts';
import { type GroupInstance, terminatingWait } from '@drover/search-cluster';
import type { DeployedCluster } from '@drover/stage/cluster';
import { groupFactsOf } from './group-facts.ts';

const hour = 3_600_000;

/** Facts that `drover cluster doctor` would read, taken from the world. Policies, licence and heaps are the real command's alone. */
export function clusterFactsOf(deployed: DeployedCluster, groups: readonly GroupView[]): ClusterFacts {
  const { world, clusterName, clock } = deployed;
  const { observe } = world;
  const now = clock.now();
  const instances = groups.flatMap((group) => instancesOf(deployed, group));
  const wanted = clusterAlarms(clusterName);
  const lastHour = (name: string) =>
    observe.lowestValues(
      { namespace: metricNamespace, name, dimensions: { [clusterDimension]: clusterName } },
      now - hour,
      now,
    );
  const certificates = lastHour(metrics.certificateDays);
  return {
    now,
    stack: clusterName,
    clusterName,
    masterGroup: groupNames.master(clusterName),
    url: `https://${clusterName}.example.com`,
    ...searchFactsOf(deployed),
    unassigned: undefined,
    lost: { kind: 'read', value: undefined },
    lowWatermark: undefined,
    blocked: { kind: 'read', value: blockedIn(deployed) },
    volumes: { kind: 'read', value: [] },
    frames: { kind: 'read', value: [] },
    room: { kind: 'read', value: undefined },
    instances,
    alarms: observe
      .alarms()
      .filter(({ name }) => wanted.has(name))
      .map(({ name, state }) => ({ name, on: state === 'ALARM' })),
    silent: {
      kind: 'read',
      value: instances
        .filter(({ lifecycleState }) => lifecycleState === 'InService')
        .map(({ instanceId: id }) => ({ id, status: observe.agentStatus(id) ?? 'never registered' }))
        .filter(({ status }) => status !== 'Online'),
    },
    groups: groups.map((group) => groupFactsOf(group, now)),
    targets: { kind: 'read', value: [] },
    spread: { kind: 'read', value: undefined },
    software: { kind: 'read', value: undefined },
    terminating: instances
      .filter(({ lifecycleState }) => lifecycleState === terminatingWait)
      .map((one) => ({ ...one, since: observe.member(one.instanceId)?.activity?.startTime })),
    certificateDays: certificates.length === 0 ? unreportedDays(deployed) : Math.min(...certificates),
    authority: { kind: 'read', value: { phase: 'settled', authorities: [unreportedAuthority(now)] } },
    rotation: { kind: 'read', value: { announcedAt: undefined, token: undefined } },
    drill: {
      ageSeconds: lastHour(metrics.drillAge).at(-1),
      failed: lastHour(metrics.drillFailed).at(-1),
      note: { kind: 'read', value: undefined },
    },
  };
}

const blockedIn = ({ core }: DeployedCluster) =>
  [...core.state.indices.values()]
    .filter(({ settings }) => settings['index.blocks.read_only_allow_delete'] === 'true')
    .map(({ name }) => name);

const instancesOf = ({ world }: DeployedCluster, { name: groupName, members }: GroupView): readonly GroupInstance[] =>
  [...members.values()].map(({ instanceId, state: lifecycleState }) => {
    const instance = world.observe.instance(instanceId);
    const terminated = instance === undefined || instance.state === 'terminated';
    return {
      instanceId,
      groupName,
      lifecycleState,
      privateIp: terminated ? undefined : instance.privateIp,
      terminated,
      tags: instance?.tags ?? {},
      instanceType: instance?.instanceType,
    };
  });

/** Machines that are not configured step by step have no certificates to report. */
const unreportedDays = ({ options }: DeployedCluster) => (options.machines === 'configured' ? undefined : 365);

/** Which one it is and how far it is replaced, the real command alone reads from its secret. */
const unreportedAuthority = (now: number) => ({
  subject: 'one authority',
  madeAt: now,
  endsAt: now + 2 * 365 * 24 * hour,
});

type SearchFacts = Pick<
  ClusterFacts,
  | 'health'
  | 'topology'
  | 'versions'
  | 'shards'
  | 'records'
  | 'voting'
  | 'lastVotes'
  | 'disks'
  | 'recovery'
  | 'allocation'
  | 'policies'
  | 'licence'
  | 'heaps'
  | 'login'
>;

/** Without an elected master nothing of Elasticsearch can be read but who voted. */
function searchFactsOf(deployed: DeployedCluster): SearchFacts {
  const read = <T>(value: T) => ({ kind: 'read', value }) as const;
  const failed = { kind: 'failed', message: 'no master is elected' } as const;
  const core = deployed.cluster.services === undefined ? undefined : deployed.core;
  if (core?.leader === undefined)
    return {
      health: failed,
      topology: failed,
      versions: failed,
      shards: failed,
      records: failed,
      voting: failed,
      lastVotes: core === undefined ? failed : read(lastVotesOf(core)),
      disks: failed,
      recovery: failed,
      allocation: failed,
      policies: failed,
      licence: failed,
      heaps: failed,
      login: failed,
    };
  const { state } = core;
  const nodes = [...deployed.nodes.values()].filter(({ id }) => state.nodes.has(id));
  const copies = [...allShards(state)];
  return {
    health: read(healthOf(deployed)),
    versions: read(nodes.map(({ version }) => version)),
    topology: read({
      clusterName: deployed.clusterName,
      clusterUuid: 'formed',
      nodes: nodes.map((node) => nodeOf(node)),
    }),
    shards: read(
      copies.map(({ index, shard, primary, node: nodeId, state: of }) => ({
        index,
        shard,
        primary,
        nodeId,
        state: of,
        bytes: 0,
      })),
    ),
    records: read(
      [...state.shutdowns.values()].map(({ nodeId, type, reason, startedAtMs }) => ({
        nodeId,
        type,
        reason,
        startedAt: startedAtMs,
        status: 'IN_PROGRESS',
        shardsRemaining: copies.filter(({ node }) => node === nodeId).length,
        explanation: undefined,
        verdicts: [],
      })),
    ),
    voting: read({ committed: state.votingConfig, exclusions: state.votingExclusions }),
    lastVotes: undefined,
    disks: read(
      nodes.map(({ id: nodeId, diskBytes: totalBytes, freeBytes: availableBytes }) => ({
        nodeId,
        totalBytes,
        availableBytes,
      })),
    ),
    recovery: read({ maxBytesPerSec: undefined, concurrentIncoming: undefined, concurrentOutgoing: undefined }),
    allocation: read({ enabled: true, low: undefined, lowMaxHeadroom: undefined, forcedZones: [] }),
    policies: read([]),
    licence: read({ type: 'basic', status: 'active' }),
    heaps: read([]),
    login: read(true),
  };
}

const lastVotesOf = ({ state }: DeployedCluster['core']) => ({
  committed: state.votingConfig,
  nodes: [...state.nodes.values()].map(({ id, ip }) => ({ id, ip })),
});

function healthOf({ clusterName, core: { state } }: DeployedCluster) {
  const found = clusterHealth(state, [...state.indices.values()]);
  return {
    clusterName,
    status: found.status,
    nodes: found.nodes,
    dataNodes: found.dataNodes,
    relocatingShards: found.relocating_shards,
    initializingShards: found.initializing_shards,
    unassignedShards: found.unassigned_shards,
    delayedShards: found.delayed,
  };
}

const nodeOf = ({ id, name, ip, roles }: SearchNode) => ({ id, name, ip, roles });

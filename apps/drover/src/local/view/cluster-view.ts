import type { ClusterState, NodeState, RelocationState, ShardState, SnapshotPolicyState } from '@drover/console/api';
import { groupNames, snapshotPolicies, snapshotRepository } from '@drover/core/names/search-cluster';
import type { DeployedCluster } from '@drover/stage/cluster';
import { refreshOf } from './fleet-view.ts';

interface CatShard {
  readonly index: string;
  readonly shard: string;
  readonly prirep: string;
  readonly state: string;
  readonly node: string | null;
}

interface Readings {
  readonly health: { readonly status: string; readonly active_shards: number; readonly unassigned_shards: number };
  readonly nodes: readonly { readonly name: string; readonly master: string }[];
  readonly shards: readonly CatShard[];
  readonly recoveries: readonly Readonly<Record<string, string>>[];
  readonly shutdowns: readonly {
    readonly node_id: string;
    readonly status: string;
    readonly shutdown_startedmillis: number;
  }[];
  readonly documents: number;
}

/** What the page shows of the search cluster, asked of one of its nodes as an operator would. */
export class ClusterView {
  readonly #deployed: DeployedCluster;
  readonly #shardsAtStart = new Map<string, number>();
  #snapshots: readonly SnapshotPolicyState[] = [];
  #readings: Readings | undefined;
  #asking = false;

  constructor(deployed: DeployedCluster) {
    this.#deployed = deployed;
  }

  /** Reads again, unless the last reading still waits for its answer. */
  async refresh(withSnapshots: boolean): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      this.#readings = await this.#read();
      if (withSnapshots) this.#snapshots = await this.#readSnapshots();
    } catch {
      // A cluster without a master does not respond: the page says so.
      this.#readings = undefined;
    } finally {
      this.#asking = false;
    }
  }

  state(): ClusterState {
    const { clusterName, world } = this.#deployed;
    const readings = this.#readings;
    const names = [groupNames.master(clusterName), groupNames.data(clusterName)];
    const groups = names.flatMap((name) => {
      const group = world.observe.group(name);
      return group === undefined ? [] : [group];
    });
    return {
      name: clusterName,
      health: (readings?.health.status ?? 'unknown') as ClusterState['health'],
      activeShards: readings?.health.active_shards ?? 0,
      unassignedShards: readings?.health.unassigned_shards ?? 0,
      documents: readings?.documents ?? 0,
      nodes: this.#nodes(),
      relocations: (readings?.recoveries ?? []).map(toRelocation),
      snapshots: this.#snapshots,
      refreshes: names.flatMap((name) => refreshOf(world, name) ?? []),
      groups: groups.map(({ name, desiredCapacity, minSize, maxSize }) => ({
        name,
        desiredCapacity,
        minSize,
        maxSize,
      })),
      unassigned: (readings?.shards ?? []).filter(({ state }) => state === 'UNASSIGNED').map(toShard),
    };
  }

  async #read(): Promise<Readings> {
    const ask = <T>(path: string) => this.#deployed.ask<T>('GET', path);
    const [health, nodes, shards, recoveries, { nodes: shutdowns }, [count]] = await Promise.all([
      ask<Readings['health']>('/_cluster/health'),
      ask<Readings['nodes']>('/_cat/nodes?format=json&h=name,master'),
      ask<Readings['shards']>('/_cat/shards?format=json&h=index,shard,prirep,state,node'),
      ask<Readings['recoveries']>(
        '/_cat/recovery?format=json&active_only=true&h=index,shard,source_node,target_node,bytes_percent',
      ),
      ask<{ nodes: Readings['shutdowns'] }>('/_nodes/shutdown'),
      ask<readonly { count: string }[]>('/_cat/count?format=json&h=count'),
    ]);
    return { health, nodes, shards, recoveries, shutdowns, documents: Number(count?.count ?? 0) };
  }

  #nodes(): NodeState[] {
    const { members, nodeStates } = this.#membersWithNodes();
    return members.map(({ member, node }) => {
      const shards = node === undefined ? [] : (nodeStates.get(node.name) ?? []);
      return {
        instanceId: member.instanceId,
        name: node?.name ?? member.instanceId,
        zone: member.zone,
        group: member.group.name,
        role: member.group.name === groupNames.master(this.#deployed.clusterName) ? 'master' : 'data',
        electedMaster: this.#readings?.nodes.some(({ name, master }) => name === node?.name && master === '*') ?? false,
        lifecycleState: member.state,
        inCluster: this.#readings?.nodes.some(({ name }) => name === node?.name) ?? false,
        shards,
        drain: this.#drain(node?.id, shards.length),
      };
    });
  }

  #membersWithNodes() {
    const { world, clusterName, nodes } = this.#deployed;
    const groups: readonly string[] = [groupNames.master(clusterName), groupNames.data(clusterName)];
    const members = world.observe.members().filter(({ group }) => groups.includes(group.name));
    const nodeStates = new Map<string, ShardState[]>();
    for (const shard of this.#readings?.shards ?? []) {
      // `a -> 10.0.0.1 id b` while it moves.
      const at = shard.node?.split(' -> ')[0];
      if (at === undefined || shard.state === 'UNASSIGNED') continue;
      nodeStates.set(at, [...(nodeStates.get(at) ?? []), toShard(shard)]);
    }
    return { members: members.map((member) => ({ member, node: nodes.get(member.instanceId) })), nodeStates };
  }

  #drain(nodeId: string | undefined, shardsLeft: number): NodeState['drain'] {
    const record = this.#readings?.shutdowns.find(({ node_id }) => node_id === nodeId);
    if (nodeId === undefined) return undefined;
    if (record === undefined) return void this.#shardsAtStart.delete(nodeId);
    const shardsAtStart = Math.max(shardsLeft, this.#shardsAtStart.get(nodeId) ?? 0);
    this.#shardsAtStart.set(nodeId, shardsAtStart);
    const moved = shardsAtStart - shardsLeft;
    const seconds = (this.#deployed.clock.now() - record.shutdown_startedmillis) / 1000;
    const secondsLeft = moved === 0 ? undefined : Math.round((seconds * shardsLeft) / moved);
    return { shardsLeft, shardsAtStart, status: record.status, secondsLeft };
  }

  async #readSnapshots(): Promise<SnapshotPolicyState[]> {
    const ask = <T>(path: string) => this.#deployed.ask<T>('GET', path);
    const policies = await ask<Record<string, SlmPolicy>>('/_slm/policy');
    const { snapshots = [] } = await ask<{ snapshots?: readonly SnapshotInfo[] }>(
      `/_snapshot/${snapshotRepository}/_all`,
    );
    return snapshotPolicies.map(({ id, maxCount }) => ({
      policy: id,
      keeps: maxCount,
      snapshots: snapshots
        .filter(({ metadata }) => metadata?.policy === id)
        .map(({ snapshot, state, start_time_in_millis: at }) => ({ at, name: snapshot, state })),
      nextAt: policies[id]?.next_execution_millis,
      lastFailure: policies[id]?.last_failure?.details,
    }));
  }
}

interface SlmPolicy {
  readonly next_execution_millis?: number;
  readonly last_failure?: { readonly details?: string };
}

interface SnapshotInfo {
  readonly snapshot: string;
  readonly state: string;
  readonly start_time_in_millis: number;
  readonly metadata?: { readonly policy?: string };
}

const toShard = ({ index, shard, prirep, state }: CatShard): ShardState => ({
  index,
  number: Number(shard),
  primary: prirep === 'p',
  state: state as ShardState['state'],
});

const toRelocation = (row: Readonly<Record<string, string>>): RelocationState => ({
  index: row.index ?? '',
  number: Number(row.shard),
  from: row.source_node ?? '',
  to: row.target_node ?? '',
  percent: Number((row.bytes_percent ?? '0').replace('%', '')),
});

import { groupNames, snapshotPolicies, snapshotRepository } from '@drover/core/names/search-cluster';
import type { ClusterState, NodeState, RelocationState, ShardState, SnapshotPolicyState } from './api.ts';

/** Asks Elasticsearch, as an operator would, and returns the JSON of the response. */
export type AskSearch = <T>(path: string) => Promise<T>;

interface CatShard {
  readonly index: string;
  readonly shard: string;
  readonly prirep: string;
  readonly state: string;
  readonly node: string | null;
}

/** The result of one look at Elasticsearch. */
export interface SearchReadings {
  readonly health: { readonly status: string; readonly active_shards: number; readonly unassigned_shards: number };
  readonly nodes: readonly {
    readonly id: string;
    readonly ip: string;
    readonly name: string;
    readonly master: string;
  }[];
  readonly shards: readonly CatShard[];
  readonly recoveries: readonly Readonly<Record<string, string>>[];
  readonly shutdowns: readonly {
    readonly node_id: string;
    readonly status: string;
    readonly shutdown_startedmillis: number;
  }[];
  readonly documents: number;
}

export async function readSearch(ask: AskSearch): Promise<SearchReadings> {
  const [health, nodes, shards, recoveries, { nodes: shutdowns }, [count]] = await Promise.all([
    ask<SearchReadings['health']>('/_cluster/health'),
    ask<SearchReadings['nodes']>('/_cat/nodes?format=json&full_id=true&h=id,ip,name,master'),
    ask<SearchReadings['shards']>('/_cat/shards?format=json&h=index,shard,prirep,state,node'),
    ask<SearchReadings['recoveries']>(
      '/_cat/recovery?format=json&active_only=true&h=index,shard,source_node,target_node,bytes_percent',
    ),
    ask<{ nodes: SearchReadings['shutdowns'] }>('/_nodes/shutdown'),
    ask<readonly { count: string }[]>('/_cat/count?format=json&h=count'),
  ]);
  return { health, nodes, shards, recoveries, shutdowns, documents: Number(count?.count ?? 0) };
}

/** The policies of the cluster with the snapshots that each has made. */
export async function readSnapshots(ask: AskSearch): Promise<SnapshotPolicyState[]> {
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

/** Facts about a cluster from Elasticsearch alone; unknown and empty while it does not respond. */
export const searchFacts = (readings: SearchReadings | undefined) => ({
  health: (readings?.health.status ?? 'unknown') as ClusterState['health'],
  activeShards: readings?.health.active_shards ?? 0,
  unassignedShards: readings?.health.unassigned_shards ?? 0,
  documents: readings?.documents ?? 0,
  relocations: (readings?.recoveries ?? []).map(toRelocation),
  unassigned: (readings?.shards ?? []).filter(({ state }) => state === 'UNASSIGNED').map(toShard),
});

/** An instance of the cluster's groups, and its node if that is known. */
export interface SearchMember extends Pick<NodeState, 'instanceId' | 'zone' | 'group' | 'lifecycleState' | 'machine'> {
  readonly node: { readonly id: string; readonly name: string } | undefined;
}

/** Instances as nodes of a cluster. Remembers with how many shards a drain began: Elasticsearch does not. */
export class SearchNodes {
  readonly #clusterName: string;
  readonly #shardsAtStart = new Map<string, number>();

  constructor(clusterName: string) {
    this.#clusterName = clusterName;
  }

  states(members: readonly SearchMember[], readings: SearchReadings | undefined, now: number): NodeState[] {
    const shardsOf = byNode(readings?.shards ?? []);
    return members.map(({ node, ...member }) => {
      const shards = node === undefined ? [] : (shardsOf.get(node.name) ?? []);
      const listed = readings?.nodes.find(({ name }) => name === node?.name);
      return {
        ...member,
        name: node?.name ?? member.instanceId,
        role: member.group === groupNames.master(this.#clusterName) ? 'master' : 'data',
        electedMaster: listed?.master === '*',
        inCluster: readings === undefined ? undefined : listed !== undefined,
        shards,
        drain: this.#drain(node?.id, shards.length, readings, now),
      };
    });
  }

  #drain(
    nodeId: string | undefined,
    shardsLeft: number,
    readings: SearchReadings | undefined,
    now: number,
  ): NodeState['drain'] {
    const record = readings?.shutdowns.find(({ node_id }) => node_id === nodeId);
    if (nodeId === undefined) return undefined;
    if (record === undefined) return void this.#shardsAtStart.delete(nodeId);
    const shardsAtStart = Math.max(shardsLeft, this.#shardsAtStart.get(nodeId) ?? 0);
    this.#shardsAtStart.set(nodeId, shardsAtStart);
    const moved = shardsAtStart - shardsLeft;
    const seconds = (now - record.shutdown_startedmillis) / 1000;
    const secondsLeft = moved === 0 ? undefined : Math.round((seconds * shardsLeft) / moved);
    return { shardsLeft, shardsAtStart, status: record.status, secondsLeft };
  }
}

function byNode(shards: readonly CatShard[]): ReadonlyMap<string, ShardState[]> {
  const found = new Map<string, ShardState[]>();
  for (const shard of shards) {
    // `a -> 10.0.0.1 id b` while it moves.
    const at = shard.node?.split(' -> ')[0];
    if (at === undefined || shard.state === 'UNASSIGNED') continue;
    found.set(at, [...(found.get(at) ?? []), toShard(shard)]);
  }
  return found;
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

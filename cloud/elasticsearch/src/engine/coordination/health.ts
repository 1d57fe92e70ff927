import type { ClusterState } from '../state/cluster-state.ts';
import { type IndexMetadata, numberOfReplicas, numberOfShards } from '../state/index-metadata.ts';
import { isDataNode } from '../state/node-info.ts';
import { isActive, type ShardRouting } from '../state/shard.ts';

export type Colour = 'green' | 'yellow' | 'red';

export interface ShardCounts {
  readonly active_primary_shards: number;
  readonly active_shards: number;
  readonly relocating_shards: number;
  readonly initializing_shards: number;
  readonly unassigned_shards: number;
  readonly unassigned_primary_shards: number;
}

export interface ShardHealth extends ShardCounts {
  readonly status: Colour;
  readonly primaryActive: boolean;
}

export interface IndexHealth extends ShardCounts {
  readonly status: Colour;
  /** Copies whose allocation waits for their node to come back. */
  readonly delayed: number;
  readonly numberOfShards: number;
  readonly numberOfReplicas: number;
  readonly shards: readonly ShardHealth[];
}

export interface ClusterHealth extends ShardCounts {
  readonly status: Colour;
  readonly nodes: number;
  readonly dataNodes: number;
  readonly delayed: number;
  readonly activePercent: number;
  readonly indices: ReadonlyMap<string, IndexHealth>;
}

/** Worst of several colours. */
export function worst(colours: Iterable<Colour>): Colour {
  let result: Colour = 'green';
  for (const colour of colours) {
    if (colour === 'red') return 'red';
    if (colour === 'yellow') result = 'yellow';
  }
  return result;
}

/** Health of a cluster, or of some of its indices ("Cluster health API"). Without a master it is red. */
export function clusterHealth(state: ClusterState, indices: readonly IndexMetadata[]): ClusterHealth {
  const all = indices.map((index) => indexHealth(state, index));
  const counts = sum(all);
  const total = counts.active_shards + counts.initializing_shards + counts.unassigned_shards;
  const nodes = [...state.nodes.values()];
  return {
    ...counts,
    status: state.masterId === undefined ? 'red' : worst(all.map(({ status }) => status)),
    nodes: nodes.length,
    dataNodes: nodes.filter(isDataNode).length,
    // Of the whole cluster, whatever indices are asked for.
    delayed: [...state.indices.values()].reduce((sum, index) => sum + indexHealth(state, index).delayed, 0),
    activePercent: total === 0 ? 100 : (counts.active_shards / total) * 100,
    indices: new Map(indices.map(({ name }, at) => [name, all[at]!])),
  };
}

const isDelayed = (copy: ShardRouting) => copy.unassignedInfo?.delayed === true && copy.state === 'UNASSIGNED';

/** Load balancers and commands ask every few seconds, while shards stay where they are for minutes. */
const known = new WeakMap<ClusterState['routing'], Map<IndexMetadata, IndexHealth>>();

export function indexHealth(state: ClusterState, index: IndexMetadata): IndexHealth {
  const before = known.get(state.routing) ?? new Map<IndexMetadata, IndexHealth>();
  known.set(state.routing, before);
  const health = before.get(index) ?? countShards(state, index);
  before.set(index, health);
  return health;
}

function countShards(state: ClusterState, index: IndexMetadata): IndexHealth {
  const routing = state.routing.get(index.name) ?? [];
  const shards = routing.map(shardHealth);
  return {
    ...sum(shards),
    status: worst(shards.map(({ status }) => status)),
    delayed: routing.flat().filter(isDelayed).length,
    numberOfShards: numberOfShards(index),
    numberOfReplicas: numberOfReplicas(index),
    shards,
  };
}

function shardHealth(copies: readonly ShardRouting[]): ShardHealth {
  const counts = noShards();
  let primary: ShardRouting | undefined;
  for (const copy of copies) {
    if (copy.primary) primary ??= copy;
    if (isActive(copy)) counts.active_shards += 1;
    if (copy.state === 'RELOCATING') counts.relocating_shards += 1;
    if (copy.state === 'INITIALIZING') counts.initializing_shards += 1;
    if (copy.state !== 'UNASSIGNED') continue;
    counts.unassigned_shards += 1;
    if (copy.primary) counts.unassigned_primary_shards += 1;
  }
  const primaryActive = primary !== undefined && isActive(primary);
  counts.active_primary_shards = primaryActive ? 1 : 0;
  const allActive = counts.active_shards === copies.length;
  return {
    ...counts,
    status: primaryActive ? (allActive ? 'green' : 'yellow') : inactivePrimary(primary),
    primaryActive,
  };
}

/** A primary that is only on its way into being does not make the cluster red. */
function inactivePrimary(primary: ShardRouting | undefined): Colour {
  const info = primary?.unassignedInfo;
  const source = primary?.recoverySource?.type;
  const beingMade = source === 'EMPTY_STORE' || source === 'SNAPSHOT';
  return info !== undefined && beingMade && info.allocationStatus !== 'deciders_no' && info.failedAllocations === 0
    ? 'yellow'
    : 'red';
}

const noShards = () => ({
  active_primary_shards: 0,
  active_shards: 0,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 0,
  unassigned_primary_shards: 0,
});

function sum(parts: Iterable<ShardCounts>): ShardCounts {
  const total = noShards();
  for (const part of parts) {
    total.active_primary_shards += part.active_primary_shards;
    total.active_shards += part.active_shards;
    total.relocating_shards += part.relocating_shards;
    total.initializing_shards += part.initializing_shards;
    total.unassigned_shards += part.unassigned_shards;
    total.unassigned_primary_shards += part.unassigned_primary_shards;
  }
  return total;
}

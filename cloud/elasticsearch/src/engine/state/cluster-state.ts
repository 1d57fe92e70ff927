import type { Document } from '@drover/formats';
import type { IndexMetadata } from './index-metadata.ts';
import type { DiscoveryNode } from './node-info.ts';
import { isActive, type ShardRouting } from './shard.ts';

/** Registered intent to take a node away ("Put shutdown API"). The server never removes it by itself. */
export interface ShutdownRecord {
  readonly nodeId: string;
  readonly type: 'RESTART' | 'REMOVE' | 'REPLACE' | 'SIGTERM';
  readonly reason: string;
  readonly startedAtMs: number;
  readonly allocationDelay?: string;
  readonly targetNodeName?: string;
  readonly gracePeriod?: string;
  /** Whether the node has been a member since the record was made. */
  readonly nodeSeen: boolean;
}

export interface VotingExclusion {
  readonly nodeId: string;
  readonly nodeName: string;
}

export interface RepositoryMetadata {
  readonly name: string;
  readonly uuid: string;
  readonly type: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface Template {
  readonly name: string;
  readonly body: Document;
}

/** Everything the master publishes. Immutable: each update makes a new one that shares what did not change. */
export interface ClusterState {
  readonly clusterUUID: string;
  readonly version: number;
  readonly stateUUID: string;
  readonly term: number;
  readonly masterId: string | undefined;
  readonly nodes: ReadonlyMap<string, DiscoveryNode>;
  readonly indices: ReadonlyMap<string, IndexMetadata>;
  /** Index name → shard number → copies. */
  readonly routing: ReadonlyMap<string, readonly (readonly ShardRouting[])[]>;
  readonly persistent: Readonly<Record<string, string | readonly string[]>>;
  readonly transient: Readonly<Record<string, string | readonly string[]>>;
  readonly shutdowns: ReadonlyMap<string, ShutdownRecord>;
  readonly votingConfig: readonly string[];
  readonly votingExclusions: readonly VotingExclusion[];
  readonly repositories: ReadonlyMap<string, RepositoryMetadata>;
  readonly legacyTemplates: ReadonlyMap<string, Template>;
  readonly indexTemplates: ReadonlyMap<string, Template>;
  /** Indices that were deleted: a node that comes back drops what it still holds of them. */
  readonly tombstones: readonly { readonly index: string; readonly uuid: string; readonly atMs: number }[];
  /** Other metadata, by section name (SLM policies, security, …). */
  readonly customs: Readonly<Record<string, unknown>>;
}

export function emptyState(clusterUUID: string, stateUUID: string): ClusterState {
  return {
    clusterUUID,
    version: 0,
    stateUUID,
    term: 0,
    masterId: undefined,
    nodes: new Map(),
    indices: new Map(),
    routing: new Map(),
    persistent: {},
    transient: {},
    shutdowns: new Map(),
    votingConfig: [],
    votingExclusions: [],
    repositories: new Map(),
    legacyTemplates: new Map(),
    indexTemplates: new Map(),
    tombstones: [],
    customs: {},
  };
}

/** Every copy of every shard, relocation targets not included. */
export function* allShards(state: Pick<ClusterState, 'routing'>): Generator<ShardRouting> {
  for (const shards of state.routing.values()) for (const copies of shards) yield* copies;
}

export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

export function withoutEntry<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

/** The node a caller means by id, name or address; undefined when it is none or more than one. */
export function findNode(state: Pick<ClusterState, 'nodes'>, name: string): DiscoveryNode | undefined {
  const byId = state.nodes.get(name);
  if (byId !== undefined) return byId;
  const matches = [...state.nodes.values()].filter(
    (node) => node.name === name || node.ip === name || node.host === name,
  );
  return matches.length === 1 ? matches[0] : undefined;
}

/** Whether every shard of the index has at least `needed` active copies. */
export function enoughActive(state: ClusterState, name: string, needed: number): boolean {
  const shards = state.routing.get(name);
  return shards === undefined || shards.every((copies) => copies.filter(isActive).length >= needed);
}

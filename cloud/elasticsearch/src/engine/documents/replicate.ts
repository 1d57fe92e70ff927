import type { ClusterAccess } from '../coordination/cluster-access.ts';
import type { MasterServices } from '../coordination/master-services.ts';
import type { SearchNode } from '../coordination/search-node.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { isActive, type ShardRouting } from '../state/shard.ts';
import type { ShardStore } from './shard-store.ts';

/** How long a write that cannot go on sleeps between looks. */
const retryMs = 200;

export interface ShardWrite<T> {
  readonly index: string;
  readonly shard: number;
  readonly timeoutMs: number;
  /** Copies that must be active before anything is written. */
  readonly activeCopies: number;
  /** Runs on the primary; every copy that is in sync gets what it does. */
  act(store: ShardStore, term: number): T;
}

export type WriteOutcome<T> =
  | { readonly done: true; readonly result: T; readonly copies: number; readonly total: number }
  | { readonly done: false; readonly reason: string };

/**
 * Writes to one shard as "Reading and writing documents" describes: the primary writes, every in-sync copy writes, and
 * only then is it acknowledged. A copy that cannot be reached is taken out of the in-sync set by the master first; a
 * primary that cannot reach the master acknowledges nothing.
 */
export async function writeToShard<T>(
  cluster: ClusterAccess,
  coordinator: SearchNode,
  write: ShardWrite<T>,
): Promise<WriteOutcome<T>> {
  const { clock } = cluster.engine;
  const deadline = clock.now() + write.timeoutMs;
  let stranded = false;
  for (;;) {
    const attempt: Attempt<T> = tryWrite(cluster, coordinator, write, stranded);
    if (attempt.done) return attempt;
    stranded ||= attempt.stranded === true;
    if (clock.now() >= deadline && attempt.replicating !== true) return { done: false, reason: attempt.reason };
    const leftMs = deadline - clock.now();
    await clock.sleep(leftMs > 0 ? Math.min(retryMs, leftMs) : retryMs);
  }
}

type Attempt<T> =
  | Extract<WriteOutcome<T>, { done: true }>
  | {
      readonly done: false;
      readonly reason: string;
      readonly stranded?: boolean;
      /** A copy has been asked and has not responded: no timeout of the request ends that. */
      readonly replicating?: boolean;
    };

function tryWrite<T>(
  cluster: ClusterAccess,
  coordinator: SearchNode,
  write: ShardWrite<T>,
  stranded: boolean,
): Attempt<T> {
  const state = coordinator.view()?.state;
  const copies = state?.routing.get(write.index)?.[write.shard];
  const primary = copies?.find((copy) => copy.primary && isActive(copy));
  if (state === undefined || copies === undefined || primary === undefined)
    return { done: false, reason: 'primary shard is not active' };
  const node = cluster.nodes.find((candidate) => candidate.id === primary.node);
  if (node === undefined || !coordinator.canReach(node)) return { done: false, reason: 'primary shard is not active' };
  const active = copies.filter(isActive).length;
  if (active < write.activeCopies)
    return {
      done: false,
      reason: `Not enough active copies to meet shard count of [${write.activeCopies}] (have ${active}, needed ${write.activeCopies}).`,
    };
  if (!followsMasterOf(state, cluster, node)) return strand(node, primary, state, write, stranded);
  return replicate(cluster, node, primary, write);
}

/** The primary's own way to the master, on the state that the master has committed. */
function followsMasterOf(state: ClusterState, cluster: ClusterAccess, node: SearchNode): boolean {
  const { core } = node;
  return (
    node.reachesMaster &&
    core!.state.clusterUUID === state.clusterUUID &&
    cluster.nodes.some(({ id }) => id === core!.leader!.id)
  );
}

/**
 * A primary that cannot reach the master writes for itself, but acknowledges nothing, because another copy may
 * have been promoted meanwhile. The only copy there is may acknowledge until it notices that it has no master.
 */
function strand<T>(
  node: SearchNode,
  primary: ShardRouting,
  state: ClusterState,
  write: ShardWrite<T>,
  already: boolean,
): Attempt<T> {
  const copy = node.copies.get(primary.allocationId!);
  const index = state.indices.get(write.index)!;
  if (node.attached || copy === undefined || node.view()?.masterId === undefined || already)
    return { done: false, reason: 'primary shard is not active', stranded: already };
  const result = write.act(copy.store, index.primaryTerms[write.shard]!);
  const only = index.inSync[write.shard]!.length === 1;
  return only
    ? { done: true, result, copies: 1, total: state.routing.get(write.index)![write.shard]!.length }
    : { done: false, reason: 'primary shard is not active', stranded: true };
}

function replicate<T>(
  cluster: ClusterAccess,
  node: SearchNode,
  primary: ShardRouting,
  write: ShardWrite<T>,
): Attempt<T> {
  const services = cluster.servicesOf(node)!;
  if (awaitsSilentCopy(cluster, node, write)) return { done: false, reason: 'a copy is silent', replicating: true };
  dropAbsent(services, write);
  const { state } = services.core;
  const index = state.indices.get(write.index);
  const copies = state.routing.get(write.index)?.[write.shard];
  const current = copies?.find((copy) => copy.allocationId === primary.allocationId && copy.primary);
  const store = node.copies.get(primary.allocationId!)?.store;
  if (index === undefined || copies === undefined || current === undefined || store === undefined)
    return { done: false, reason: 'primary shard is not active' };
  const result = write.act(store, index.primaryTerms[write.shard]!);
  services.disk.touch();
  return { done: true, result, copies: copies.filter(isActive).length, total: copies.length };
}

/** A copy that does not respond holds the write up until the master has given its node up ("Cluster fault detection"). */
function awaitsSilentCopy(cluster: ClusterAccess, node: SearchNode, write: ShardPlace): boolean {
  const copies = cluster.servicesOf(node)!.core.state.routing.get(write.index)?.[write.shard] ?? [];
  return copies.some((copy) => !copy.primary && isActive(copy) && !reachable(cluster, node, copy.node!));
}

type ShardPlace = Pick<ShardWrite<unknown>, 'index' | 'shard'>;

/** Copies that missed a write leave the in-sync set: the master records that before the response is sent. */
function dropAbsent({ core, allocation }: MasterServices, { index, shard }: ShardPlace): void {
  const copies = core.state.routing.get(index)?.[shard] ?? [];
  const assigned = new Set(copies.flatMap((copy) => copy.allocationId ?? []));
  const absent = (core.state.indices.get(index)?.inSync[shard] ?? []).filter((id) => !assigned.has(id));
  if (absent.length === 0) return;
  core.update((state) => {
    const routing = allocation.routing(state);
    for (const id of absent) routing.markStale({ index, shard }, id);
    return routing.build();
  });
}

function reachable(cluster: ClusterAccess, from: SearchNode, nodeId: string): boolean {
  const node = cluster.nodes.find((candidate) => candidate.id === nodeId);
  return node?.attached === true && node.core === from.core && from.canReach(node);
}

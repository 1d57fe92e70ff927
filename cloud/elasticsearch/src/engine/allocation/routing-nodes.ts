import type { ClusterState } from '../state/cluster-state.ts';
import { changeIndex, type IndexMetadata } from '../state/index-metadata.ts';
import { isDataNode } from '../state/node-info.ts';
import {
  isActive,
  isRelocationTarget,
  relocationTarget,
  type ShardRouting,
  shardKey,
  type UnassignedInfo,
} from '../state/shard.ts';

/**
 * The routing table turned by node, to be changed while one allocation round runs; `build` writes it back.
 * Keeps the in-sync sets and primary terms in step, as "Reading and writing documents" describes them.
 */
export class RoutingNodes {
  readonly byNode = new Map<string, ShardRouting[]>();
  readonly unassigned: ShardRouting[] = [];
  #copies = new Map<string, ShardRouting[]>();
  #indices = new Map<string, IndexMetadata>();
  #state: ClusterState;
  #newId: () => string;
  changed = false;

  constructor(state: ClusterState, newId: () => string) {
    this.#state = state;
    this.#newId = newId;
    for (const node of state.nodes.values()) if (isDataNode(node)) this.byNode.set(node.id, []);
    for (const shards of state.routing.values())
      for (const copies of shards)
        for (const copy of copies) {
          this.#add(copy);
          if (copy.state === 'RELOCATING') this.#add(relocationTarget(copy));
        }
  }

  /** Assigned copies of one shard, relocation targets included. */
  assigned(shard: Pick<ShardRouting, 'index' | 'shard'>): readonly ShardRouting[] {
    return this.#copies.get(shardKey(shard)) ?? [];
  }

  on(nodeId: string): readonly ShardRouting[] {
    return this.byNode.get(nodeId) ?? [];
  }

  primaryOf(shard: Pick<ShardRouting, 'index' | 'shard'>): ShardRouting | undefined {
    return this.assigned(shard).find((copy) => copy.primary && !isRelocationTarget(copy));
  }

  index(name: string): IndexMetadata {
    return this.#indices.get(name) ?? this.#state.indices.get(name)!;
  }

  *all(): Generator<ShardRouting> {
    for (const copies of this.#copies.values()) yield* copies;
    yield* this.unassigned;
  }

  initialize(shard: ShardRouting, nodeId: string, existingAllocationId?: string): ShardRouting {
    this.#removeUnassigned(shard);
    const started: ShardRouting = {
      ...shard,
      state: 'INITIALIZING',
      node: nodeId,
      allocationId: existingAllocationId ?? this.#newId(),
    };
    this.#add(started);
    if (shard.primary && shard.recoverySource?.type !== 'EMPTY_STORE') this.#raiseTerm(shard);
    return started;
  }

  relocate(shard: ShardRouting, nodeId: string): ShardRouting {
    const source: ShardRouting = { ...shard, state: 'RELOCATING', relocatingNode: nodeId, relocationId: this.#newId() };
    this.#replace(shard, source);
    const target = relocationTarget(source);
    this.#add(target);
    return target;
  }

  start(shard: ShardRouting): void {
    const { recoverySource: _r, unassignedInfo: _u, relocatingNode: _n, relocationId: _i, ...rest } = shard;
    if (isRelocationTarget(shard))
      this.#removeAssigned(this.assigned(shard).find((copy) => copy.allocationId === shard.relocationId)!);
    this.#replace(shard, { ...rest, state: 'STARTED' });
    this.#markInSync(shard, shard.relocationId);
  }

  /** Takes a copy off its node. A lost primary hands over to a replica that is active, if there is one. */
  fail(shard: ShardRouting, info: UnassignedInfo) {
    if (isRelocationTarget(shard)) return this.#cancelRelocation(shard);
    const replaced = shard.state === 'RELOCATING' && this.#detachTarget(shard);
    this.#removeAssigned(this.assigned(shard).find((copy) => copy.allocationId === shard.allocationId)!);
    if (replaced) return;
    if (!shard.primary) return this.#addUnassigned(shard, false, info);
    this.#failInitializingReplicas(shard, info);
    const heir = isActive(shard) ? this.#chooseHeir(shard) : undefined;
    if (heir !== undefined) this.#promote(heir);
    this.#addUnassigned(shard, heir === undefined, info);
  }

  /** A copy that missed a write may never become primary again until it has recovered. */
  markStale(shard: Pick<ShardRouting, 'index' | 'shard'>, allocationId: string): void {
    const index = this.index(shard.index);
    const ids = index.inSync[shard.shard]!;
    if (ids.includes(allocationId))
      this.#setInSync(
        index,
        shard.shard,
        ids.filter((id) => id !== allocationId),
      );
  }

  /** Drops a copy that the index does not want any more. */
  discard(shard: ShardRouting) {
    if (shard.state === 'UNASSIGNED') return this.#removeUnassigned(shard);
    if (shard.state === 'RELOCATING')
      this.#removeAssigned(this.assigned(shard).find((copy) => copy.allocationId === shard.relocationId)!);
    this.#removeAssigned(shard);
    this.markStale(shard, shard.allocationId!);
  }

  addUnassigned(shard: ShardRouting): void {
    this.unassigned.push(shard);
    this.changed = true;
  }

  updateUnassigned(shard: ShardRouting, next: ShardRouting): void {
    this.unassigned[this.unassigned.indexOf(shard)] = next;
    this.changed = true;
  }

  setInSync(shard: Pick<ShardRouting, 'index' | 'shard'>, ids: readonly string[]): void {
    this.#setInSync(this.index(shard.index), shard.shard, ids);
  }

  build(): ClusterState {
    if (!this.changed) return this.#state;
    const routing = new Map<string, ShardRouting[][]>();
    for (const [name, shards] of this.#state.routing)
      routing.set(
        name,
        shards.map(() => []),
      );
    for (const copies of this.byNode.values())
      for (const copy of copies) if (!isRelocationTarget(copy)) routing.get(copy.index)![copy.shard]!.push(copy);
    for (const copy of this.unassigned) routing.get(copy.index)![copy.shard]!.push(copy);
    const indices =
      this.#indices.size === 0 ? this.#state.indices : new Map([...this.#state.indices, ...this.#indices]);
    return { ...this.#state, routing, indices };
  }

  #chooseHeir(failed: ShardRouting): ShardRouting | undefined {
    return this.assigned(failed).find((copy) => !copy.primary && isActive(copy));
  }

  #promote(replica: ShardRouting): void {
    this.#replace(replica, { ...replica, primary: true });
    const target = this.assigned(replica).find(
      (copy) => isRelocationTarget(copy) && copy.relocationId === replica.allocationId,
    );
    if (target !== undefined) this.#replace(target, { ...target, primary: true });
    this.#raiseTerm(replica);
  }

  #failInitializingReplicas(primary: ShardRouting, info: UnassignedInfo): void {
    for (const copy of [...this.assigned(primary)]) {
      if (copy.primary || copy.state !== 'INITIALIZING') continue;
      if (isRelocationTarget(copy)) this.#cancelRelocation(copy);
      else {
        this.#removeAssigned(copy);
        this.#addUnassigned(copy, false, {
          ...info,
          reason: 'PRIMARY_FAILED',
          delayed: false,
          details: 'primary failed while replica initializing',
        });
      }
    }
  }

  /** The source of a relocation is lost: a primary's target goes with it, a replica's target goes on from the primary. */
  #detachTarget(source: ShardRouting): boolean {
    const target = this.assigned(source).find((copy) => copy.allocationId === source.relocationId);
    if (target === undefined) return false;
    if (source.primary) {
      this.#removeAssigned(target);
      return false;
    }
    const { relocatingNode: _n, relocationId: _i, ...rest } = target;
    this.#replace(target, rest);
    return true;
  }

  #cancelRelocation(target: ShardRouting): void {
    const source = this.assigned(target).find((copy) => copy.allocationId === target.relocationId);
    this.#removeAssigned(target);
    if (source === undefined) return;
    const { relocatingNode: _n, relocationId: _i, ...rest } = source;
    this.#replace(source, { ...rest, state: 'STARTED' });
  }

  #addUnassigned(shard: ShardRouting, primary: boolean, info: UnassignedInfo): void {
    const neverStarted = this.index(shard.index).inSync[shard.shard]!.length === 0;
    const source = !primary ? 'PEER' : neverStarted ? 'EMPTY_STORE' : 'EXISTING_STORE';
    const recoverySource =
      primary && shard.recoverySource !== undefined && neverStarted ? shard.recoverySource : { type: source as 'PEER' };
    this.addUnassigned({
      index: shard.index,
      indexUUID: shard.indexUUID,
      shard: shard.shard,
      primary,
      state: 'UNASSIGNED',
      recoverySource,
      unassignedInfo: info,
    });
  }

  #raiseTerm(shard: ShardRouting): void {
    const index = this.index(shard.index);
    const primaryTerms = index.primaryTerms.map((term, at) => (at === shard.shard ? term + 1 : term));
    this.#indices.set(index.name, changeIndex(index, { primaryTerms }));
  }

  #markInSync(shard: ShardRouting, replacing: string | undefined): void {
    const index = this.index(shard.index);
    const ids = index.inSync[shard.shard]!.filter((id) => id !== replacing && id !== shard.allocationId);
    this.#setInSync(index, shard.shard, [...ids, shard.allocationId!]);
  }

  #setInSync(index: IndexMetadata, shard: number, ids: readonly string[]): void {
    const inSync = index.inSync.map((known, at) => (at === shard ? ids : known));
    this.#indices.set(index.name, changeIndex(index, { inSync }));
    this.changed = true;
  }

  #add(shard: ShardRouting): void {
    if (shard.state === 'UNASSIGNED') {
      this.unassigned.push(shard);
      return;
    }
    const node = this.byNode.get(shard.node!);
    if (node === undefined) this.byNode.set(shard.node!, [shard]);
    else node.push(shard);
    const key = shardKey(shard);
    const copies = this.#copies.get(key);
    if (copies === undefined) this.#copies.set(key, [shard]);
    else copies.push(shard);
  }

  #replace(before: ShardRouting, after: ShardRouting): void {
    const node = this.byNode.get(before.node!)!;
    node[node.indexOf(before)] = after;
    const copies = this.#copies.get(shardKey(before))!;
    copies[copies.indexOf(before)] = after;
    this.changed = true;
  }

  #removeAssigned(shard: ShardRouting): void {
    drop(this.byNode.get(shard.node!)!, shard);
    drop(this.#copies.get(shardKey(shard))!, shard);
    this.changed = true;
  }

  #removeUnassigned(shard: ShardRouting): void {
    drop(this.unassigned, shard);
    this.changed = true;
  }
}

function drop(list: ShardRouting[], shard: ShardRouting): void {
  const at = list.findIndex(
    (copy) => copy === shard || (copy.allocationId !== undefined && copy.allocationId === shard.allocationId),
  );
  if (at >= 0) list.splice(at, 1);
}

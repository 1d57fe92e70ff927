import type { DiscoveryNode } from '../state/node-info.ts';
import { isRelocationTarget, type ShardRouting } from '../state/shard.ts';
import type { AllocationContext } from './decision.ts';

interface Load {
  shards: number;
  bytes: number;
  readonly byIndex: Map<string, number>;
}

/**
 * How loaded each node is, in the terms of "Shard balancing heuristics": number of shards, number of shards of the
 * index, bytes. (Write load is not modelled: it weighs nothing here.)
 */
export class Weights {
  #loads = new Map<string, Load>();
  #nodes: readonly DiscoveryNode[];
  #context: AllocationContext;
  #factor: { readonly shard: number; readonly index: number; readonly disk: number };
  readonly threshold: number;

  constructor(context: AllocationContext, nodes: readonly DiscoveryNode[]) {
    const { settings } = context;
    this.#context = context;
    this.#nodes = nodes;
    this.#factor = {
      shard: settings.number('cluster.routing.allocation.balance.shard'),
      index: settings.number('cluster.routing.allocation.balance.index'),
      disk: settings.number('cluster.routing.allocation.balance.disk_usage'),
    };
    this.threshold = settings.number('cluster.routing.allocation.balance.threshold');
    for (const node of nodes) this.#loads.set(node.id, { shards: 0, bytes: 0, byIndex: new Map() });
    for (const node of nodes)
      for (const shard of context.routing.on(node.id)) if (counts(shard)) this.add(node.id, shard);
  }

  add(nodeId: string, shard: ShardRouting, sign = 1): void {
    const load = this.#loads.get(nodeId);
    if (load === undefined) return;
    load.shards += sign;
    load.bytes += sign * this.#context.info.shardBytes(shard);
    load.byIndex.set(shard.index, (load.byIndex.get(shard.index) ?? 0) + sign);
  }

  /** Above zero: the node has more than its share of this index. */
  of(nodeId: string, index: string): number {
    const load = this.#loads.get(nodeId)!;
    const count = this.#nodes.length;
    let shards = 0;
    let bytes = 0;
    let ofIndex = 0;
    for (const other of this.#loads.values()) {
      shards += other.shards;
      bytes += other.bytes;
      ofIndex += other.byIndex.get(index) ?? 0;
    }
    return (
      this.#factor.shard * (load.shards - shards / count) +
      this.#factor.index * ((load.byIndex.get(index) ?? 0) - ofIndex / count) +
      this.#factor.disk * (load.bytes - bytes / count)
    );
  }

  /** Nodes from the least to the most loaded, for one index. */
  lightestFirst(index: string, among: readonly DiscoveryNode[] = this.#nodes): DiscoveryNode[] {
    const weights = new Map(among.map((node) => [node.id, this.of(node.id, index)]));
    return [...among].sort((a, b) => weights.get(a.id)! - weights.get(b.id)! || (a.id < b.id ? -1 : 1));
  }
}

/** A copy that relocates weighs on its target. */
const counts = (shard: ShardRouting) => shard.state !== 'RELOCATING' || isRelocationTarget(shard);

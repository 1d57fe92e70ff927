import type { ClusterState } from '../state/cluster-state.ts';
import { type DiscoveryNode, isDataNode } from '../state/node-info.ts';
import { type ShardRouting, shardKey } from '../state/shard.ts';
import { canAllocate, canRebalance, canRemain } from './deciders/all.ts';
import type { AllocationContext } from './decision.ts';
import { RoutingNodes } from './routing-nodes.ts';
import { Weights } from './weights.ts';

/** Where each shard's copies should be, by shard key. */
export type DesiredBalance = ReadonlyMap<string, readonly string[]>;

/** A computation that goes on longer than this has found no fixed point; what it has is used. */
const roundLimit = 1000;

/**
 * Computes where the shards should end up, as if every move took no time ("Shard balancing heuristics settings": the
 * desired balance is computed first, then moved towards step by step). Without `balance` only what has no place, or may
 * not keep it, is placed.
 */
export function computeDesiredBalance(
  context: AllocationContext,
  options: { readonly balance: boolean },
): DesiredBalance {
  const routing = new RoutingNodes(context.routing.build(), sequentialIds());
  const simulation: AllocationContext = { ...context, routing, simulating: true };
  const nodes = dataNodes(context.state);
  startAll(routing);
  for (let round = 0; round < roundLimit && step(simulation, nodes, options.balance); round++);
  return positions(routing);
}

export const dataNodes = (state: ClusterState) => [...state.nodes.values()].filter(isDataNode);

function step(context: AllocationContext, nodes: readonly DiscoveryNode[], balance: boolean): boolean {
  const weights = new Weights(context, nodes);
  return (
    placeUnassigned(context, weights) ||
    moveForced(context, weights) ||
    (balance && balanceOnce(context, nodes, weights))
  );
}

function placeUnassigned(context: AllocationContext, weights: Weights): boolean {
  let placed = false;
  for (const shard of inAllocationOrder(context.routing.unassigned, context)) {
    // It waits for its node: a place elsewhere would be taken as soon as that node is back with the copy.
    if (shard.unassignedInfo?.delayed === true) continue;
    const node = weights
      .lightestFirst(shard.index)
      .find((candidate) => canAllocate(shard, candidate, context) === 'YES');
    if (node === undefined) continue;
    const copy = context.routing.initialize(shard, node.id);
    weights.add(node.id, copy);
    context.routing.start(copy);
    placed = true;
  }
  return placed;
}

function moveForced(context: AllocationContext, weights: Weights): boolean {
  let moved = false;
  for (const [nodeId, shards] of context.routing.byNode)
    for (const shard of [...shards]) {
      const node = context.state.nodes.get(nodeId);
      if (node === undefined || canRemain(shard, node, context) !== 'NO') continue;
      moved = moveTo(shard, weights.lightestFirst(shard.index), context, weights) || moved;
    }
  return moved;
}

function moveTo(
  shard: ShardRouting,
  candidates: readonly DiscoveryNode[],
  context: AllocationContext,
  weights: Weights,
): boolean {
  const target = candidates.find((node) => node.id !== shard.node && canAllocate(shard, node, context) === 'YES');
  if (target === undefined) return false;
  weights.add(shard.node!, shard, -1);
  weights.add(target.id, shard);
  context.routing.start(context.routing.relocate(shard, target.id));
  return true;
}

/** Moves one shard from the heaviest to the lightest node of an index while that improves the balance. */
function balanceOnce(context: AllocationContext, nodes: readonly DiscoveryNode[], weights: Weights): boolean {
  if (nodes.length < 2) return false;
  for (const index of context.state.routing.keys()) {
    const order = weights.lightestFirst(index);
    for (let low = 0, high = order.length - 1; low < high; ) {
      const delta = weights.of(order[high]!.id, index) - weights.of(order[low]!.id, index);
      if (delta <= weights.threshold) break;
      if (tryMove(context, index, order[high]!, order[low]!, delta, weights)) return true;
      if (high - 1 > low) high -= 1;
      else {
        low += 1;
        high = order.length - 1;
      }
    }
  }
  return false;
}

function tryMove(
  context: AllocationContext,
  index: string,
  from: DiscoveryNode,
  to: DiscoveryNode,
  delta: number,
  weights: Weights,
): boolean {
  for (const shard of context.routing.on(from.id)) {
    if (shard.index !== index || shard.state !== 'STARTED') continue;
    if (canRebalance(shard, context) !== 'YES' || canAllocate(shard, to, context) !== 'YES') continue;
    weights.add(from.id, shard, -1);
    weights.add(to.id, shard);
    const after = weights.of(to.id, index) - weights.of(from.id, index);
    if (after < delta) {
      context.routing.start(context.routing.relocate(shard, to.id));
      return true;
    }
    weights.add(from.id, shard);
    weights.add(to.id, shard, -1);
  }
  return false;
}

/** Primaries before replicas, then by index priority and age, then by shard number. */
export function inAllocationOrder(shards: readonly ShardRouting[], { routing }: AllocationContext): ShardRouting[] {
  const priority = (shard: ShardRouting) => Number(routing.index(shard.index).settings['index.priority'] ?? 1);
  const created = (shard: ShardRouting) => Number(routing.index(shard.index).settings['index.creation_date'] ?? 0);
  return [...shards].sort(
    (a, b) =>
      Number(b.primary) - Number(a.primary) ||
      priority(b) - priority(a) ||
      created(b) - created(a) ||
      (a.index < b.index ? -1 : a.index > b.index ? 1 : a.shard - b.shard),
  );
}

function startAll(routing: RoutingNodes): void {
  for (const shards of routing.byNode.values())
    for (const shard of [...shards]) if (shard.state === 'INITIALIZING') routing.start(shard);
}

function positions(routing: RoutingNodes): DesiredBalance {
  const desired = new Map<string, string[]>();
  for (const [nodeId, shards] of routing.byNode)
    for (const shard of shards) {
      const key = shardKey(shard);
      const nodes = desired.get(key);
      if (nodes === undefined) desired.set(key, [nodeId]);
      else nodes.push(nodeId);
    }
  return desired;
}

function sequentialIds(): () => string {
  let next = 0;
  return () => `simulated-${next++}`;
}

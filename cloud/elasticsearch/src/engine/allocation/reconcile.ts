import type { DiscoveryNode } from '../state/node-info.ts';
import { type AllocationStatus, type ShardRouting, shardKey } from '../state/shard.ts';
import { canAllocate, canRebalance, canRemain } from './deciders/all.ts';
import type { AllocationContext } from './decision.ts';
import { type DesiredBalance, dataNodes, inAllocationOrder } from './desired-balance.ts';
import { setStatus } from './existing-copies.ts';

/**
 * Takes the steps that recovery limits allow now: first what must be placed or moved, to its `placement`, then moves
 * for balance, to what is `desired`.
 */
export function reconcile(context: AllocationContext, placement: DesiredBalance, desired: DesiredBalance): void {
  allocateUnassigned(context, placement);
  moveForced(context, placement);
  rebalance(context, desired);
}

function allocateUnassigned(context: AllocationContext, desired: DesiredBalance): void {
  for (const shard of inAllocationOrder(context.routing.unassigned, context)) {
    if (shard.recoverySource?.type === 'EXISTING_STORE' || isWaiting(shard)) continue;
    const wanted = nodesOf(desired, shard, context);
    if (wanted.length === 0) {
      setStatus(shard, shard.primary ? 'deciders_no' : 'no_attempt', context);
      continue;
    }
    const attempt = assign(shard, wanted, context);
    const status =
      attempt === 'deciders_no' && shard.primary ? assign(shard, dataNodes(context.state), context) : attempt;
    if (status !== undefined) setStatus(shard, status, context);
  }
}

/** Replicas of a node that left wait for it, and those with a throttled old copy wait for that. */
const isWaiting = (shard: ShardRouting) =>
  !shard.primary &&
  (shard.unassignedInfo!.delayed ||
    (shard.unassignedInfo!.allocationStatus === 'deciders_throttled' && shard.unassignedInfo!.lastNode !== undefined));

function assign(
  shard: ShardRouting,
  candidates: readonly DiscoveryNode[],
  context: AllocationContext,
): AllocationStatus | undefined {
  let status: AllocationStatus = 'deciders_no';
  for (const node of candidates) {
    const verdict = canAllocate(shard, node, context);
    if (verdict === 'YES') {
      context.routing.initialize(shard, node.id);
      return undefined;
    }
    if (verdict === 'THROTTLE') status = 'deciders_throttled';
  }
  return status;
}

/** Desired nodes that hold no copy of the shard yet. */
function nodesOf(desired: DesiredBalance, shard: ShardRouting, context: AllocationContext): DiscoveryNode[] {
  const taken = new Set(context.routing.assigned(shard).map((copy) => copy.node));
  return (desired.get(shardKey(shard)) ?? [])
    .filter((id) => !taken.has(id))
    .flatMap((id) => context.state.nodes.get(id) ?? []);
}

/** Shards that must leave their node: filters, disk, awareness, shutdown. */
function moveForced(context: AllocationContext, desired: DesiredBalance): void {
  for (const shard of interleaved(context)) {
    const node = context.state.nodes.get(shard.node!);
    if (shard.state !== 'STARTED' || node === undefined || canRemain(shard, node, context) !== 'NO') continue;
    const target = targetFor(shard, desired, context);
    if (target !== undefined) context.routing.relocate(shard, target.id);
  }
}

function targetFor(
  shard: ShardRouting,
  desired: DesiredBalance,
  context: AllocationContext,
): DiscoveryNode | undefined {
  return nodesOf(desired, shard, context).find((node) => canAllocate(shard, node, context) === 'YES');
}

function rebalance(context: AllocationContext, desired: DesiredBalance): void {
  if (canRebalance(undefined, context) !== 'YES') return;
  for (const shard of interleaved(context)) {
    if (shard.state !== 'STARTED') continue;
    const wanted = desired.get(shardKey(shard));
    if (wanted === undefined || wanted.includes(shard.node!)) continue;
    if (canRebalance(shard, context) !== 'YES') continue;
    const target = targetFor(shard, desired, context);
    if (target !== undefined) context.routing.relocate(shard, target.id);
  }
}

/** One shard of each node in turn, so that no node's moves wait for all of another's. */
function interleaved({ routing }: AllocationContext): ShardRouting[] {
  const lists = [...routing.byNode.values()].map((shards) => [...shards]);
  const longest = Math.max(0, ...lists.map((shards) => shards.length));
  const order: ShardRouting[] = [];
  for (let at = 0; at < longest; at++)
    for (const shards of lists) if (shards[at] !== undefined) order.push(shards[at]!);
  return order;
}

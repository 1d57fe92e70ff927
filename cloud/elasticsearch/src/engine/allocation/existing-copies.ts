import type { ShardStore } from '../documents/shard-store.ts';
import type { DiscoveryNode } from '../state/node-info.ts';
import { type AllocationStatus, isActive, type ShardRouting } from '../state/shard.ts';
import { allocateDecisions, canAllocate } from './deciders/all.ts';
import type { AllocationContext, Verdict } from './decision.ts';

/** A shard copy that a node has on its disk. */
export interface CopyOnDisk {
  readonly nodeId: string;
  readonly allocationId: string;
  readonly store: ShardStore;
}

export type FindCopies = (indexUUID: string, shard: number) => readonly CopyOnDisk[];

/**
 * Assigns primaries to nodes that hold an in-sync copy, and replicas to nodes whose old copy saves copying, before
 * balance is looked at ("Cluster allocation explain API": existing copies).
 */
export function allocateExistingCopies(context: AllocationContext, findCopies: FindCopies): void {
  for (const shard of [...context.routing.unassigned])
    if (shard.primary && shard.recoverySource?.type === 'EXISTING_STORE') allocatePrimary(shard, context, findCopies);
  for (const shard of [...context.routing.unassigned])
    if (!shard.primary && shard.unassignedInfo?.reason !== 'INDEX_CREATED') allocateReplica(shard, context, findCopies);
}

function allocatePrimary(shard: ShardRouting, context: AllocationContext, findCopies: FindCopies) {
  const inSync = context.routing.index(shard.index).inSync[shard.shard]!;
  const copies = findCopies(shard.indexUUID, shard.shard).filter((copy) => inSync.includes(copy.allocationId));
  if (copies.length === 0) return setStatus(shard, 'no_valid_shard_copy', context);
  const offers = copies.flatMap((copy) => offer(shard, copy, context));
  const best = offers.find(({ verdict }) => verdict === 'YES') ?? forced(shard, offers, context);
  if (best !== undefined) context.routing.initialize(shard, best.copy.nodeId, best.copy.allocationId);
  else
    setStatus(
      shard,
      offers.some(({ verdict }) => verdict === 'THROTTLE') ? 'deciders_throttled' : 'deciders_no',
      context,
    );
}

interface Offer {
  readonly copy: CopyOnDisk;
  readonly node: DiscoveryNode;
  readonly verdict: Verdict;
}

function offer(shard: ShardRouting, copy: CopyOnDisk, context: AllocationContext): Offer[] {
  const node = context.state.nodes.get(copy.nodeId);
  return node === undefined ? [] : [{ copy, node, verdict: canAllocate(shard, node, context) }];
}

/** The last copy of a primary goes back to its node even against filters, disk or awareness; not against max_retry or enable. */
function forced(shard: ShardRouting, offers: readonly Offer[], context: AllocationContext): Offer | undefined {
  if (offers.some(({ verdict }) => verdict === 'THROTTLE')) return undefined;
  return offers.find(({ node }) =>
    allocateDecisions(shard, node, context).every(
      (decision) =>
        decision.verdict !== 'NO' || !['max_retry', 'enable', 'snapshot_in_progress'].includes(decision.decider),
    ),
  );
}

function allocateReplica(shard: ShardRouting, context: AllocationContext, findCopies: FindCopies): void {
  const primary = context.routing.primaryOf(shard);
  const offers = primary !== undefined && isActive(primary) ? findCopies(shard.indexUUID, shard.shard) : [];
  const usable = offers
    .filter((copy) => copy.nodeId !== primary?.node)
    .flatMap((copy) => offer(shard, copy, context))
    .sort((a, b) => b.copy.store.maxSeqNo - a.copy.store.maxSeqNo);
  const best = usable.find(({ verdict }) => verdict === 'YES');
  if (best !== undefined) context.routing.initialize(shard, best.node.id);
  else
    setStatus(
      shard,
      usable.some(({ verdict }) => verdict === 'THROTTLE') ? 'deciders_throttled' : 'no_attempt',
      context,
    );
}

export function setStatus(
  shard: ShardRouting,
  allocationStatus: AllocationStatus,
  { routing }: AllocationContext,
): void {
  const info = shard.unassignedInfo!;
  if (info.allocationStatus === allocationStatus) return;
  routing.updateUnassigned(shard, { ...shard, unassignedInfo: { ...info, allocationStatus } });
}

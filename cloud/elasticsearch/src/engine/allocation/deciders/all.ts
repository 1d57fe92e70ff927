import type { DiscoveryNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { type AllocationContext, combined, type Decider, type Decision, type Verdict } from '../decision.ts';
import { awareness } from './awareness.ts';
import { dataTier } from './data-tier.ts';
import { diskThreshold } from './disk-threshold.ts';
import { enable } from './enable.ts';
import { filter } from './filter.ts';
import { restoreInProgress, snapshotInProgress } from './in-progress.ts';
import { nodeReplacement, nodeShutdown } from './node-shutdown.ts';
import { clusterRebalance, concurrentRebalance, rebalanceOnlyWhenActive } from './rebalancing.ts';
import { maxRetry, replicaAfterPrimaryActive, sameShard } from './shard-copies.ts';
import { shardsLimit } from './shards-limit.ts';
import { throttling } from './throttling.ts';
import { indexVersion, nodeVersion } from './versions.ts';

/** All rules, in the order in which the explain API lists them. */
const deciders: readonly Decider[] = [
  maxRetry,
  replicaAfterPrimaryActive,
  rebalanceOnlyWhenActive,
  clusterRebalance,
  concurrentRebalance,
  enable,
  indexVersion,
  nodeVersion,
  snapshotInProgress,
  restoreInProgress,
  nodeShutdown,
  nodeReplacement,
  filter,
  sameShard,
  diskThreshold,
  throttling,
  shardsLimit,
  awareness,
  dataTier,
];

export function allocateDecisions(shard: ShardRouting, node: DiscoveryNode, context: AllocationContext): Decision[] {
  return collect((decider) => decider.canAllocate?.(shard, node, context));
}

export function remainDecisions(shard: ShardRouting, node: DiscoveryNode, context: AllocationContext): Decision[] {
  return collect((decider) => decider.canRemain?.(shard, node, context));
}

export function rebalanceDecisions(shard: ShardRouting | undefined, context: AllocationContext): Decision[] {
  return collect((decider) => decider.canRebalance?.(shard, context));
}

export const canAllocate = (shard: ShardRouting, node: DiscoveryNode, context: AllocationContext): Verdict =>
  strictest((decider) => decider.canAllocate?.(shard, node, context));

export const canRemain = (shard: ShardRouting, node: DiscoveryNode, context: AllocationContext): Verdict =>
  strictest((decider) => decider.canRemain?.(shard, node, context));

export const canRebalance = (shard: ShardRouting | undefined, context: AllocationContext): Verdict =>
  combined(rebalanceDecisions(shard, context));

function collect(ask: (decider: Decider) => Decision | undefined): Decision[] {
  const decisions: Decision[] = [];
  for (const decider of deciders) {
    const decision = ask(decider);
    if (decision !== undefined) decisions.push(decision);
  }
  return decisions;
}

/** Stops at the first NO: the texts are not read here. */
function strictest(ask: (decider: Decider) => Decision | undefined): Verdict {
  let verdict: Verdict = 'YES';
  for (const decider of deciders) {
    const decision = ask(decider);
    if (decision?.verdict === 'NO') return 'NO';
    if (decision?.verdict === 'THROTTLE') verdict = 'THROTTLE';
  }
  return verdict;
}

import { type Refusal, refuse } from '@drover/core';
import type { DeciderVerdict, NodeVerdict } from '../../model/shard.ts';
import { isActive, isDrillCopy, nameShard, type ShardCopy, type ShardName } from '../../model/shard.ts';
import { remedyFor } from './remedies.ts';

/**
 * Shards whose only serving copy among the nodes that stay is on this node. A shard that has another one may be left
 * behind when it cannot move (Elasticsearch reports COMPLETE then), so only these must find a place.
 */
export function loneShards(
  copies: readonly ShardCopy[],
  nodeId: string,
  leaving: ReadonlySet<string>,
): readonly ShardCopy[] {
  const elsewhere = new Set(
    copies
      .filter((copy) => isActive(copy) && copy.nodeId !== nodeId && !leaving.has(copy.nodeId ?? ''))
      .map((copy) => `${copy.index}/${copy.shard}`),
  );
  return copies.filter(
    (copy) => copy.nodeId === nodeId && !isDrillCopy(copy) && !elsewhere.has(`${copy.index}/${copy.shard}`),
  );
}

/** The rule that most nodes gave against a shard: the one to name and to mend. */
export function leadingDecider(verdicts: readonly NodeVerdict[]): DeciderVerdict | undefined {
  const counts = new Map<string, { verdict: DeciderVerdict; nodes: number }>();
  for (const verdict of verdicts.flatMap((node) => node.against)) {
    const seen = counts.get(verdict.decider);
    counts.set(verdict.decider, { verdict: seen?.verdict ?? verdict, nodes: (seen?.nodes ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => b.nodes - a.nodes)[0]?.verdict;
}

/** Refuses when no node that stays would take the shard, and names the decider. */
export function checkHasPlace(
  shard: ShardName,
  verdicts: readonly NodeVerdict[],
  leaving: ReadonlySet<string>,
): Refusal<'last-copy'> | undefined {
  const staying = verdicts.filter((verdict) => !leaving.has(verdict.nodeId));
  if (staying.some((verdict) => verdict.possible)) return undefined;
  const decider = leadingDecider(staying);
  const why =
    decider === undefined
      ? 'there is no other data node'
      : `decider ${decider.decider} says no: ${decider.explanation}`;
  const remedy = decider === undefined ? 'add a data node' : remedyFor(decider, shard);
  return refuse('last-copy', `${nameShard(shard)} has its only copy here and nowhere to go: ${why}`, remedy);
}

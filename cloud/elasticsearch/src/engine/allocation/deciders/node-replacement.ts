import type { ShutdownRecord } from '../../state/cluster-state.ts';
import type { DiscoveryNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { type AllocationContext, type Decider, type Decision, no, yes } from '../decision.ts';

const name = 'node_replacement';

/** Shards of a node that is being replaced go to its replacement only, and nothing else goes there. */
export const nodeReplacement: Decider = {
  name,
  canAllocate(shard, node, context) {
    const replacements = ongoing(context);
    if (replacements.length === 0) return yes(name, 'there are no ongoing node replacements');
    return toReplacement(shard, node, replacements) ?? toTarget(shard, node, replacements, context);
  },
  canRemain(_shard, node, context) {
    const replacements = ongoing(context);
    if (replacements.length === 0) return yes(name, 'there are no ongoing node replacements');
    const own = replacements.find((record) => record.nodeId === node.id);
    if (own === undefined) return yes(name, `node [${node.id}] is not being replaced`);
    return no(name, `node [${node.id}] is being replaced by node [${own.targetNodeName}], so no data may remain on it`);
  },
};

const ongoing = ({ state }: AllocationContext): ShutdownRecord[] =>
  [...state.shutdowns.values()].filter((record) => record.type === 'REPLACE');

/** A shard that leaves a replaced node may go to the named target only. */
function toReplacement(
  shard: ShardRouting,
  node: DiscoveryNode,
  replacements: readonly ShutdownRecord[],
): Decision | undefined {
  const own = replacements.find((record) => record.nodeId === shard.node);
  if (own === undefined) return undefined;
  if (own.targetNodeName === node.name)
    return yes(
      name,
      `node [${shard.node}] is being replaced by node [${node.name}], so the shard may be allocated to it`,
    );
  return no(
    name,
    `node [${shard.node}] is being replaced, and its shards may only be allocated to the replacement target [${own.targetNodeName}]`,
  );
}

/** The target takes nothing from anyone else until the replacement is over. */
function toTarget(
  shard: ShardRouting,
  node: DiscoveryNode,
  replacements: readonly ShutdownRecord[],
  { state }: AllocationContext,
): Decision {
  const target = replacements.find((record) => record.targetNodeName === node.name);
  if (target === undefined || !state.nodes.has(target.nodeId))
    return yes(name, 'neither the source nor target node are part of an ongoing node replacement (no replacements)');
  const from = shard.node === undefined ? 'shard is unassigned and' : `node [${shard.node}] is not`;
  return no(
    name,
    `node [${node.id}] is replacing the vacating node [${target.nodeId}], only data currently allocated to the source node may be allocated to it until the replacement is complete (${from} being replaced)`,
  );
}

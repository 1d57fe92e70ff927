import type { ShutdownRecord } from '../../state/cluster-state.ts';
import type { DiscoveryNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { type AllocationContext, type Decider, type Decision, no, yes } from '../decision.ts';

const shutdown = 'node_shutdown';

/** Nodes with a shutdown record of type remove or replace get no shards and keep none ("Put shutdown API"). */
export const nodeShutdown: Decider = {
  name: shutdown,
  canAllocate: (_shard, node, context) => decide(node, context),
  canRemain: (_shard, node, context) => decide(node, context),
};

function decide(node: DiscoveryNode, { state }: AllocationContext): Decision {
  if (state.shutdowns.size === 0) return yes(shutdown, 'no nodes are shutting down');
  const record = state.shutdowns.get(node.id);
  if (record === undefined) return yes(shutdown, `node [${node.id}] is not preparing for removal from the cluster`);
  if (record.type === 'RESTART')
    return yes(shutdown, `node [${node.id}] is preparing to restart, but will remain in the cluster`);
  return no(shutdown, `node [${node.id}] is preparing to be removed from the cluster`);
}

const replacement = 'node_replacement';

/** Shards of a node that is being replaced go to its replacement only, and nothing else goes there. */
export const nodeReplacement: Decider = {
  name: replacement,
  canAllocate(shard, node, context) {
    const replacements = ongoing(context);
    if (replacements.length === 0) return yes(replacement, 'there are no ongoing node replacements');
    return toReplacement(shard, node, replacements) ?? toTarget(shard, node, replacements, context);
  },
  canRemain(_shard, node, context) {
    const replacements = ongoing(context);
    if (replacements.length === 0) return yes(replacement, 'there are no ongoing node replacements');
    const own = replacements.find((record) => record.nodeId === node.id);
    if (own === undefined) return yes(replacement, `node [${node.id}] is not being replaced`);
    return no(
      replacement,
      `node [${node.id}] is being replaced by node [${own.targetNodeName}], so no data may remain on it`,
    );
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
      replacement,
      `node [${shard.node}] is being replaced by node [${node.name}], so the shard may be allocated to it`,
    );
  return no(
    replacement,
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
    return yes(
      replacement,
      'neither the source nor target node are part of an ongoing node replacement (no replacements)',
    );
  const from = shard.node === undefined ? 'shard is unassigned and' : `node [${shard.node}] is not`;
  return no(
    replacement,
    `node [${node.id}] is replacing the vacating node [${target.nodeId}], only data currently allocated to the source node may be allocated to it until the replacement is complete (${from} being replaced)`,
  );
}

import { splitList } from '../../coordination/settings.ts';
import { autoExpandBounds, numberOfReplicas } from '../../state/index-metadata.ts';
import { type DiscoveryNode, isDataNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { type AllocationContext, type Decider, type Decision, no, yes } from '../decision.ts';

const name = 'awareness';
const key = 'cluster.routing.allocation.awareness.attributes';

/** Spreads the copies of a shard over the values of node attributes ("Shard allocation awareness"). */
export const awareness: Decider = {
  name,
  canAllocate: (shard, node, context) => decide(shard, node, context, true),
  canRemain: (shard, node, context) => decide(shard, node, context, false),
};

function decide(shard: ShardRouting, node: DiscoveryNode, context: AllocationContext, arriving: boolean): Decision {
  const attributes = context.settings.list(key);
  if (attributes.length === 0)
    return yes(name, `allocation awareness is not enabled, set cluster setting [${key}] to enable it`);
  const index = context.routing.index(shard.index);
  const bounds = autoExpandBounds(index);
  if (bounds !== undefined && bounds.most === Number.MAX_SAFE_INTEGER)
    return yes(name, 'allocation awareness is ignored, this index is set to auto-expand to all nodes');
  for (const attribute of attributes) {
    const refusal = forAttribute(shard, node, context, attribute, numberOfReplicas(index) + 1, arriving);
    if (refusal !== undefined) return refusal;
  }
  return yes(name, 'node meets all awareness attribute requirements');
}

function forAttribute(
  shard: ShardRouting,
  node: DiscoveryNode,
  context: AllocationContext,
  attribute: string,
  copies: number,
  arriving: boolean,
): Decision | undefined {
  const value = node.attributes[attribute];
  if (value === undefined)
    return no(
      name,
      `node does not contain the awareness attribute [${attribute}]; required attributes cluster setting [${key}=${context.settings.list(key).join(',')}]`,
    );
  const actual = attributeValues(context, attribute);
  const forced = splitList(context.settings.text(`cluster.routing.allocation.awareness.force.${attribute}.values`));
  const values = new Set([...actual, ...forced]);
  const most = Math.ceil(copies / values.size);
  const count =
    copiesWith(shard, context, attribute, value) +
    (arriving && attributeNow(shard, context, attribute) !== value ? 1 : 0);
  if (count <= most) return undefined;
  const forcedText = forced.length === 0 ? 'no forced awareness' : `[${forced.join(', ')}] from forced awareness`;
  return no(
    name,
    `there are [${copies}] copies of this shard and [${values.size}] values for attribute [${attribute}] ([${actual.join(', ')}] from nodes in the cluster and ${forcedText}) so there may be at most [${most}] copies of this shard allocated to nodes with each value, but (including this copy) there would be [${count}] copies allocated to nodes with [node.attr.${attribute}: ${value}]`,
  );
}

function attributeValues({ state }: AllocationContext, attribute: string): string[] {
  const values = [...state.nodes.values()].filter(isDataNode).map((node) => node.attributes[attribute]);
  return [...new Set(values.filter((value) => value !== undefined))].sort();
}

/** A relocation's target counts, its source does not. */
function copiesWith(
  shard: ShardRouting,
  { routing, state }: AllocationContext,
  attribute: string,
  value: string,
): number {
  return routing
    .assigned(shard)
    .filter((copy) => copy.state !== 'RELOCATING' && state.nodes.get(copy.node!)?.attributes[attribute] === value)
    .length;
}

function attributeNow(shard: ShardRouting, { state }: AllocationContext, attribute: string): string | undefined {
  const nodeId = shard.state === 'RELOCATING' ? shard.relocatingNode : shard.node;
  return nodeId === undefined ? undefined : state.nodes.get(nodeId)?.attributes[attribute];
}

import { splitList } from '../../coordination/settings.ts';
import { indexSetting } from '../../state/index-metadata.ts';
import type { DiscoveryNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { type AllocationContext, type Decider, type Decision, no, yes } from '../decision.ts';
import { isLeaving } from '../replica-counts.ts';

const name = 'data_tier';

/**
 * `index.routing.allocation.include._tier_preference`: the first listed tier that has nodes ("Data tiers"). Nodes that are being removed do
 * not count (elastic/elasticsearch#98824), so the shards of a tier's last node go on to the next one.
 */
export const dataTier: Decider = { name, canAllocate: decide, canRemain: decide };

function decide(shard: ShardRouting, node: DiscoveryNode, { routing, state }: AllocationContext): Decision {
  const preference = splitList(
    indexSetting(routing.index(shard.index), 'index.routing.allocation.include._tier_preference') ?? '',
  );
  if (preference.length === 0) return yes(name, 'node passes tier preference filters');
  const list = preference.join(',');
  const wanted = preference.find((tier) =>
    [...state.nodes.values()].some((other) => servesTier(other, tier) && !isLeaving(state, other.id)),
  );
  if (wanted === undefined)
    return no(
      name,
      `index has a preference for tiers [${list}], but no nodes for any of those tiers are available in the cluster`,
    );
  const role = servesTier(node, wanted);
  if (role !== undefined) return yes(name, `index has a preference for tiers [${list}] and node has tier [${role}]`);
  return no(name, `index has a preference for tiers [${list}] and node does not meet the required [${wanted}] tier`);
}

/** The generic role stands for every tier, and is what is named. */
const servesTier = (node: DiscoveryNode, tier: string) =>
  node.roles.includes('data') ? 'data' : node.roles.includes(tier) ? tier : undefined;

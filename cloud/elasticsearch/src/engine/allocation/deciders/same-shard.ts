import { shardSummary } from '../../state/shard.ts';
import { type Decider, no, yes } from '../decision.ts';

const name = 'same_shard';

/** Two copies of a shard never share a node, nor a host when `cluster.routing.allocation.same_shard.host` is set. */
export const sameShard: Decider = {
  name,
  canAllocate(shard, node, { routing, settings, state }) {
    const copies = routing.assigned(shard);
    const here = copies.find((copy) => copy.node === node.id);
    if (here !== undefined) {
      if (here.allocationId === shard.allocationId)
        return no(name, `this shard is already allocated to this node [${shardSummary(here)}]`);
      return no(name, `a copy of this shard is already allocated to this node [${shardSummary(here)}]`);
    }
    if (settings.boolean('cluster.routing.allocation.same_shard.host')) {
      const other = copies.find(
        (copy) => copy.allocationId !== shard.allocationId && state.nodes.get(copy.node!)?.ip === node.ip,
      );
      if (other !== undefined)
        return no(
          name,
          `cannot allocate to node [${node.id}] because a copy of this shard is already allocated to node [${other.node}] with the same host address [${node.ip}] and [cluster.routing.allocation.same_shard.host] is [true] which forbids more than one node on this host from holding a copy of this shard`,
        );
    }
    return yes(name, 'this node does not hold a copy of this shard');
  },
};

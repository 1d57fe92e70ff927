import type { DiscoveryNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { type AllocationContext, type Decider, type Decision, no, yes } from '../decision.ts';

const name = 'shards_limit';
const clusterKey = 'cluster.routing.allocation.total_shards_per_node';
const indexKey = 'index.routing.allocation.total_shards_per_node';

/** The most shards of an index, or of all, on a node ("Total shards per node"). */
export const shardsLimit: Decider = {
  name,
  canAllocate: (shard, node, context) => decide(shard, node, context, (count, limit) => count >= limit),
  canRemain: (shard, node, context) => decide(shard, node, context, (count, limit) => count > limit),
};

function decide(
  shard: ShardRouting,
  node: DiscoveryNode,
  { routing, settings }: AllocationContext,
  over: (count: number, limit: number) => boolean,
): Decision {
  const ofIndex = Number(routing.index(shard.index).settings[indexKey] ?? -1);
  const ofCluster = settings.number(clusterKey);
  if (ofIndex <= 0 && ofCluster <= 0)
    return yes(name, `total shard limits are disabled: [index: ${ofIndex}, cluster: ${ofCluster}] <= 0`);
  const staying = routing.on(node.id).filter((copy) => copy.state !== 'RELOCATING');
  const same = staying.filter((copy) => copy.index === shard.index).length;
  if (ofCluster > 0 && over(staying.length, ofCluster))
    return no(
      name,
      `too many shards [${staying.length}] allocated to this node, cluster setting [${clusterKey}=${ofCluster}]`,
    );
  if (ofIndex > 0 && over(same, ofIndex))
    return no(
      name,
      `too many shards [${same}] allocated to this node for index [${shard.index}], index setting [${indexKey}=${ofIndex}]`,
    );
  return yes(
    name,
    `the shard count [${staying.length}] for this node is under the index limit [${ofIndex}] and cluster level node limit [${ofCluster}]`,
  );
}

import { isActive, shardSummary, unassignedSummary } from '../../state/shard.ts';
import { type Decider, no, referencePage, yes } from '../decision.ts';

/** Two copies of a shard never share a node, nor a host when `cluster.routing.allocation.same_shard.host` is set. */
export const sameShard: Decider = {
  name: 'same_shard',
  canAllocate(shard, node, { routing, settings, state }) {
    const name = 'same_shard';
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

/** A replica needs an active primary to recover from. */
export const replicaAfterPrimaryActive: Decider = {
  name: 'replica_after_primary_active',
  canAllocate(shard, _node, { routing }) {
    const name = 'replica_after_primary_active';
    if (shard.primary) return yes(name, 'shard is primary and can be allocated');
    const primary = routing.primaryOf(shard);
    if (primary === undefined || !isActive(primary))
      return no(name, 'primary shard for this replica is not yet active');
    return yes(name, 'primary shard for this replica is already active');
  },
};

/** Stops after `index.allocation.max_retries` failures, until a reroute with `retry_failed` ("Cluster-level shard allocation"). */
export const maxRetry: Decider = {
  name: 'max_retry',
  canAllocate(shard, _node, { routing, version }) {
    const failures = shard.unassignedInfo?.failedAllocations ?? 0;
    if (failures === 0) return yes('max_retry', 'shard has no previous failures');
    const most = Number(routing.index(shard.index).settings['index.allocation.max_retries'] ?? 5);
    if (failures < most)
      return yes('max_retry', `shard has failed allocating [${failures}] times but [${most}] retries are allowed`);
    const page = referencePage(version, 'cluster-allocation-explain.html#maximum-number-of-retries-exceeded');
    return no(
      'max_retry',
      `shard has exceeded the maximum number of retries [${most}] on failed allocation attempts - manually call [POST /_cluster/reroute?retry_failed&metric=none] to retry, and for more information, see [${page}] [${unassignedSummary(shard.unassignedInfo!)}]`,
    );
  },
};

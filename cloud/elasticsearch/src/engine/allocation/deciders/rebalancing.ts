import { isActive } from '../../state/shard.ts';
import { type Decider, no, throttle, yes } from '../decision.ts';

/** A shard is not rebalanced while one of its copies is missing. */
export const rebalanceOnlyWhenActive: Decider = {
  name: 'rebalance_only_when_active',
  canRebalance(shard, { routing }) {
    if (shard === undefined) return undefined;
    const missing = routing.unassigned.some((copy) => copy.index === shard.index && copy.shard === shard.shard);
    if (missing || routing.assigned(shard).some((copy) => !isActive(copy)))
      return no('rebalance_only_when_active', 'rebalancing is not allowed until all copies of this shard are active');
    return yes('rebalance_only_when_active', 'rebalancing is allowed as all copies of this shard are active');
  },
};

const allowKey = 'cluster.routing.allocation.allow_rebalance';

/** `cluster.routing.allocation.allow_rebalance` */
export const clusterRebalance: Decider = {
  name: 'cluster_rebalance',
  canRebalance(_shard, { routing, settings }) {
    const when = settings.text(allowKey);
    const refuse = (what: string) =>
      no('cluster_rebalance', `the cluster has ${what} shards and cluster setting [${allowKey}] is set to [${when}]`);
    if (when !== 'always') {
      if (routing.unassigned.some((copy) => copy.primary)) return refuse('unassigned primary');
      if (
        [...routing.all()].some(
          (copy) => copy.primary && copy.state === 'INITIALIZING' && copy.relocatingNode === undefined,
        )
      )
        return refuse('inactive primary');
    }
    if (when === 'indices_all_active') {
      if (routing.unassigned.length > 0) return refuse('unassigned');
      if ([...routing.all()].some((copy) => copy.state === 'INITIALIZING' && copy.relocatingNode === undefined))
        return refuse('inactive');
    }
    return yes('cluster_rebalance', 'all shards are active');
  },
};

const concurrentKey = 'cluster.routing.allocation.cluster_concurrent_rebalance';

/** Limits relocations for balance; moves that rules force are not limited by it. */
export const concurrentRebalance: Decider = {
  name: 'concurrent_rebalance',
  canRebalance(_shard, { routing, settings, simulating }) {
    const limit = settings.number(concurrentKey);
    if (limit === -1 || simulating) return yes('concurrent_rebalance', 'unlimited concurrent rebalances are allowed');
    const running = [...routing.all()].filter((copy) => copy.state === 'RELOCATING').length;
    if (running >= limit)
      return throttle(
        'concurrent_rebalance',
        `reached the limit of concurrently rebalancing shards [${running}], cluster setting [${concurrentKey}=${limit}]`,
      );
    return yes(
      'concurrent_rebalance',
      `below threshold [${limit}] for concurrent rebalances, current rebalance shard count [${running}]`,
    );
  },
};

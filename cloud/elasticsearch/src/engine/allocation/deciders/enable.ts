import { indexSetting } from '../../state/index-metadata.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { type AllocationContext, type Decider, type Decision, no, yes } from '../decision.ts';

const name = 'enable';

/** `cluster.routing.allocation.enable` and `cluster.routing.rebalance.enable`, and the same per index. */
export const enable: Decider = {
  name,
  canAllocate(shard, _node, context) {
    if (context.ignoreDisable)
      return yes(
        name,
        'explicitly ignoring any disabling of allocation due to manual allocation commands via the reroute API',
      );
    const [value, source] = effective(shard, context, 'allocation');
    if (value === 'all') return yes(name, 'all allocations are allowed');
    if (value === 'none') return no(name, `no allocations are allowed due to ${source}`);
    const existing = shard.recoverySource?.type !== 'EMPTY_STORE' && shard.recoverySource?.type !== 'SNAPSHOT';
    if (value === 'new_primaries') {
      if (shard.primary && shard.state === 'UNASSIGNED' && !existing)
        return yes(name, 'new primary allocations are allowed');
      return no(name, `non-new primary allocations are forbidden due to ${source}`);
    }
    if (shard.primary) return yes(name, 'primary allocations are allowed');
    return no(name, `replica allocations are forbidden due to ${source}`);
  },
  canRebalance(shard, context): Decision {
    const [value, source] = effective(shard, context, 'rebalance');
    if (value === 'none') return no(name, `no rebalancing is allowed due to ${source}`);
    if (value === 'all' || shard === undefined) return yes(name, 'all rebalancing is allowed');
    if (value === 'primaries' && shard.primary) return yes(name, 'primary rebalancing is allowed');
    if (value === 'replicas' && !shard.primary) return yes(name, 'replica rebalancing is allowed');
    return no(name, `${value === 'primaries' ? 'replica' : 'primary'} rebalancing is forbidden due to ${source}`);
  },
};

function effective(
  shard: ShardRouting | undefined,
  context: AllocationContext,
  kind: 'allocation' | 'rebalance',
): [string, string] {
  const indexKey = kind === 'allocation' ? 'index.routing.allocation.enable' : 'index.routing.rebalance.enable';
  const ofIndex = shard === undefined ? undefined : indexSetting(context.routing.index(shard.index), indexKey);
  if (ofIndex !== undefined) return [ofIndex, `index setting [${indexKey}=${ofIndex}]`];
  const key = kind === 'allocation' ? 'cluster.routing.allocation.enable' : 'cluster.routing.rebalance.enable';
  const value = context.settings.text(key);
  return [value, `cluster setting [${key}=${value}]`];
}

import { isActive } from '../../state/shard.ts';
import { type Decider, no, yes } from '../decision.ts';

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

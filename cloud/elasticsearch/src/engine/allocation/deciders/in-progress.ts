import { shardKey } from '../../state/shard.ts';
import { type Decider, no, throttle, yes } from '../decision.ts';

/** A primary that is being snapshotted stays where it is. */
export const snapshotInProgress: Decider = {
  name: 'snapshot_in_progress',
  canAllocate(shard, _node, { snapshotting, waits }) {
    if (snapshotting.size === 0) return yes('snapshot_in_progress', 'no snapshots are currently running');
    if (shard.primary && shard.state !== 'UNASSIGNED' && snapshotting.has(shardKey(shard))) {
      waits.snapshot = true;
      return throttle(
        'snapshot_in_progress',
        `waiting for snapshot of shard [[${shard.index}][${shard.shard}]] on node [${shard.node}] to complete`,
      );
    }
    return yes('snapshot_in_progress', 'the shard is not being snapshotted');
  },
};

/** A primary whose restore failed is not tried again by itself. */
export const restoreInProgress: Decider = {
  name: 'restore_in_progress',
  canAllocate(shard) {
    const source = shard.recoverySource;
    if (source?.type !== 'SNAPSHOT')
      return yes('restore_in_progress', 'ignored as shard is not being recovered from a snapshot');
    if ((shard.unassignedInfo?.failedAllocations ?? 0) > 0)
      return no(
        'restore_in_progress',
        `shard has failed to be restored from the snapshot [${source.repository}:${source.snapshot}/${source.snapshotUUID}] - manually close or delete the index [${shard.index}] in order to retry to restore the snapshot again or use the reroute API to force the allocation of an empty primary shard. Details: [${shard.unassignedInfo?.details}]`,
      );
    return yes('restore_in_progress', 'shard is currently being restored');
  },
};

import { unassignedSummary } from '../../state/shard.ts';
import { type Decider, no, referencePage, yes } from '../decision.ts';

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

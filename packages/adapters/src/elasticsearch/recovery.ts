import type { FailedShardRetry, RecoveryReader } from '@drover/search-cluster';
import type { SearchClient } from './client.ts';
import { asList, asNumber, asObject, type Doc } from './reading.ts';

/** Recoveries that still run with a node as their target. */
export const recoveryReader = (client: SearchClient): RecoveryReader => ({
  recoveriesTo: async (nodeId) => {
    const answer = asObject(await client.json({ method: 'GET', path: '/_recovery?active_only=true' }), 'recoveries');
    const mine = Object.values(answer)
      .flatMap((index) => asList(asObject(index, 'index').shards, 'shards'))
      .map((shard) => asObject(shard, 'shard'))
      .filter((shard) => asObject(shard.target, 'target').id === nodeId && shard.stage !== 'DONE');
    return {
      active: mine.length,
      bytesTotal: sum(mine, 'total_in_bytes'),
      bytesRecovered: sum(mine, 'recovered_in_bytes'),
    };
  },
});

function sum(shards: readonly Doc[], member: string): number {
  return shards.reduce((total, shard) => {
    const size = asObject(asObject(shard.index, 'index').size, 'size');
    return total + (size[member] === undefined ? 0 : asNumber(size[member], member));
  }, 0);
}

/** Lets shards try again whose allocation failed too often. */
export const failedShardRetry = (client: SearchClient): FailedShardRetry => ({
  retryFailedShards: async () => {
    await client.json({ method: 'POST', path: '/_cluster/reroute?retry_failed=true&metric=none' });
  },
});

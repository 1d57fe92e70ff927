import type { SearchClient } from './client.ts';
import { diskReader } from './disks.ts';
import { allocationExplainer } from './explain.ts';
import { healthReader } from './health.ts';
import { failedShardRetry, recoveryReader } from './recovery.ts';
import { nodeLoadReader, shardLister } from './shards.ts';
import { shutdownRecords } from './shutdown-records.ts';
import { topologyReader } from './topology.ts';
import { electedMaster, snapshotHistory } from './vital-signs.ts';
import { votingExclusions } from './voting.ts';

/** Every role of Elasticsearch that draining, launching and reaping need, on one client. */
export const searchRoles = (client: SearchClient) => ({
  health: healthReader(client),
  topology: topologyReader(client),
  records: shutdownRecords(client),
  shards: shardLister(client),
  load: nodeLoadReader(client),
  explainer: allocationExplainer(client),
  disks: diskReader(client),
  voting: votingExclusions(client),
  recovery: recoveryReader(client),
  retry: failedShardRetry(client),
  elected: electedMaster(client),
  snapshots: snapshotHistory(client),
});

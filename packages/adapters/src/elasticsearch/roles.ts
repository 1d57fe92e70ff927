import type { SearchClient } from './client/client.ts';
import { electedMaster, healthWithoutDrills, localNode, topologyReader } from './cluster.ts';
import { diskReader } from './disks.ts';
import { shutdownRecords, votingExclusions } from './node-shutdown.ts';
import { snapshotHistory } from './policies.ts';
import { pressureReader } from './pressure.ts';
import {
  allocationExplainer,
  failedShardRetry,
  nodeLoadReader,
  recoveryReader,
  shardHistory,
  shardLister,
} from './shards.ts';
import { runningSnapshots } from './snapshots.ts';
import { upgradeReader } from './upgrade.ts';

/** Every role of Elasticsearch that draining, launching and reaping need, on one client. */
export const searchRoles = (client: SearchClient) => ({
  health: healthWithoutDrills(client),
  topology: topologyReader(client),
  records: shutdownRecords(client),
  local: localNode(client),
  shards: shardLister(client),
  history: shardHistory(client),
  upgrade: upgradeReader(client),
  load: nodeLoadReader(client),
  explainer: allocationExplainer(client),
  disks: diskReader(client),
  pressure: pressureReader(client),
  voting: votingExclusions(client),
  recovery: recoveryReader(client),
  retry: failedShardRetry(client),
  elected: electedMaster(client),
  running: runningSnapshots(client),
  snapshots: snapshotHistory(client),
});

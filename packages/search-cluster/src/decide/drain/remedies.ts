import type { DeciderVerdict, ShardName } from '../../model/shard.ts';

const putSetting = (setting: string, value: string) =>
  `cluster-cli api PUT /_cluster/settings -d '{"persistent":{"${setting}":${value}}}'`;
const putIndexSetting = (index: string, setting: string, value: string) =>
  `cluster-cli api PUT /${index}/_settings -d '{"${setting}":${value}}'`;

/**
 * Remedies for a shard that a decider holds back. Names and meanings: Elasticsearch reference, "Cluster-level shard
 * allocation and routing settings" and "Index-level shard allocation".
 */
const remedies: Readonly<Record<string, (index: string) => string>> = {
  awareness: (index) =>
    `add a data node in another zone, or lower the replicas: ${putIndexSetting(index, 'index.number_of_replicas', '1')}`,
  cluster_rebalance: () => 'wait until all shards are active: cluster-cli cluster-health --wait-for green',
  concurrent_rebalance: () => 'wait: other shards move first',
  data_tier: (index) =>
    `add a node of the tier that the index asks for, or change it: ${putIndexSetting(index, 'index.routing.allocation.include._tier_preference', '"data_content"')}`,
  disk_threshold: () =>
    `free disk space or add a data node; or raise the watermark: ${putSetting('cluster.routing.allocation.disk.watermark.low', '"90%"')}`,
  enable: () => `allow allocation again: ${putSetting('cluster.routing.allocation.enable', '"all"')}`,
  filter: (index) =>
    `look at the allocation filters: cluster-cli api GET '/${index}/_settings?flat_settings=true', then remove the one that excludes the other nodes, e.g. ${putIndexSetting(index, 'index.routing.allocation.require._name', 'null')}`,
  max_retry: () => "retry failed allocations: cluster-cli api POST '/_cluster/reroute?retry_failed=true'",
  node_replacement: () => 'wait for the node replacement, or withdraw it: cluster-cli api GET /_nodes/shutdown',
  node_shutdown: () =>
    'other nodes are leaving too: add a data node, or withdraw a shutdown: cluster-cli api GET /_nodes/shutdown',
  node_version: () => 'add a data node of the same or a newer version',
  replica_after_primary_active: () => 'wait until the primary is active: cluster-cli cluster allocation-explain',
  resize: () => 'wait for the shrink, split or clone to end',
  restore_in_progress: () => 'wait for the restore to end, or delete the index that cannot be restored',
  same_shard: (index) =>
    `add a data node, or lower the replicas: ${putIndexSetting(index, 'index.number_of_replicas', '1')}`,
  shards_limit: (index) =>
    `raise the limit of shards per node: ${putIndexSetting(index, 'index.routing.allocation.total_shards_per_node', '-1')}; the cluster has one too: cluster.routing.allocation.total_shards_per_node`,
  snapshot_in_progress: () => 'wait for the snapshot to end: cluster-cli snapshots list',
  throttling: () => 'wait: too many recoveries run at once',
};

/** The command that removes what this decider objects to. */
export const remedyFor = (verdict: DeciderVerdict, shard: Pick<ShardName, 'index'>): string =>
  remedies[verdict.decider]?.(shard.index) ?? `see why: cluster-cli cluster allocation-explain --index ${shard.index}`;

/** Every decider with a remedy of its own. */
export const decidersWithRemedy: readonly string[] = Object.keys(remedies);

import type { BlockLevel } from '../../engine/indices/blocks.ts';

/** APIs that a block of the whole cluster refuses at this level. */
const byCluster: Readonly<Record<string, BlockLevel>> = Object.fromEntries(
  [
    'cluster.delete_voting_config_exclusions',
    'cluster.post_voting_config_exclusions',
    'cluster.reroute',
    'indices.delete_index_template',
    'indices.delete_template',
    'indices.put_index_template',
    'indices.put_template',
    'shutdown.delete_node',
    'shutdown.put_node',
    'slm.delete_lifecycle',
    'slm.execute_lifecycle',
    'slm.put_lifecycle',
    'snapshot.create_repository',
    'snapshot.delete_repository',
    'snapshot.restore',
  ].map((api) => [api, 'metadata_write']),
);

/** APIs that a block of the cluster or of one of their indices refuses at this level. */
const byIndices: Readonly<Record<string, BlockLevel>> = {
  'cat.aliases': 'metadata_read',
  'cat.count': 'read',
  'cat.indices': 'metadata_read',
  'cat.recovery': 'metadata_read',
  'cat.shards': 'metadata_read',
  count: 'read',
  'indices.close': 'metadata_write',
  'indices.delete_alias': 'metadata_write',
  'indices.get': 'metadata_read',
  'indices.get_alias': 'metadata_read',
  'indices.get_mapping': 'metadata_read',
  'indices.get_settings': 'metadata_read',
  'indices.open': 'metadata_write',
  'indices.put_alias': 'metadata_write',
  'indices.recovery': 'metadata_read',
  'indices.stats': 'metadata_read',
  search: 'read',
};

/** The levels at which blocks refuse a request of this API, on the cluster and on its indices. */
export const blockChecks = (api: string) => ({ cluster: byCluster[api], indices: byIndices[api] });

import { features as knownFeatures } from '../../../engine/indices/features.ts';
import { majorOf } from '../../../engine/state/versions.ts';
import type { Call } from '../../call.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const migrationRoutes: readonly Endpoint[] = [
  {
    api: 'migration.deprecations',
    action: 'cluster:admin/xpack/deprecation/info',
    indices: (call) => call.list('index'),
    run: deprecations,
  },
  {
    api: 'migration.get_feature_upgrade_status',
    action: 'cluster:admin/migration/get_system_feature',
    run: features,
  },
];

/** Indices that were made before the present major cannot be read by the next one ("Migration deprecation info API"). */
async function deprecations(call: Call): Promise<Reply> {
  const { state } = (await call.master()).core;
  const old = [...state.indices.values()].filter((index) => {
    const created = Number(index.settings['index.version.created']);
    return Math.floor(created / 1_000_000) < majorOf(call.version);
  });
  const issue = {
    level: 'critical',
    message: 'Old index with a compatibility version < previous major',
    url: 'https://ela.st/es-deprecation-9-reindex',
    details: 'This index has version before the previous major',
    resolve_during_rolling_upgrade: false,
  };
  return {
    body: {
      cluster_settings: [],
      node_settings: [],
      index_settings: Object.fromEntries(old.map(({ name }) => [name, [issue]])),
      data_streams: {},
      templates: {},
      ilm_policies: {},
      ml_settings: [],
    },
  };
}

/** No feature of the model keeps an index that needs a migration. */
async function features(call: Call): Promise<Reply> {
  await call.master();
  const minimum = String((majorOf(call.version) - 1) * 1_000_000 + 99);
  return {
    body: {
      features: knownFeatures.map(({ name }) => ({
        feature_name: name,
        minimum_index_version: minimum,
        migration_status: 'NO_MIGRATION_NEEDED',
        indices: [],
      })),
      migration_status: 'NO_MIGRATION_NEEDED',
    },
  };
}

import type { UpgradeReader } from '@drover/search-cluster';
import type { SearchClient } from './client/client.ts';
import { asList, asObject, asObjects, asText, asTexts, type Doc } from './reading.ts';

/** Versions of the nodes, and what Elasticsearch's own upgrade assistant asks before an upgrade. */
export const upgradeReader = (client: SearchClient): UpgradeReader => ({
  nodes: async () => {
    const fields = ['name', 'ip', 'roles', 'version'].map((field) => `nodes.*.${field}`);
    const answer = await client.get(`/_nodes?filter_path=${fields.join()}`);
    return Object.entries(asObject(asObject(answer, 'nodes info').nodes, 'nodes')).map(([id, node]) => {
      const { name, ip, roles, version } = asObject(node, id);
      return {
        id,
        name: asText(name, 'name'),
        ip: asText(ip, 'ip'),
        roles: asTexts(roles, 'roles'),
        version: asText(version, 'version'),
      };
    });
  },
  obstacles: async () => ({
    criticalDeprecations: criticalIn(asObject(await client.get('/_migration/deprecations'), 'deprecations')),
    featuresToMigrate: asObjects(
      asObject(await client.get('/_migration/system_features'), 'features').features,
      'feature',
    )
      .filter(({ migration_status }) => migration_status !== 'NO_MIGRATION_NEEDED')
      .map(({ feature_name, migration_status }) => `${String(feature_name)} (${String(migration_status)})`),
    diskSymptom: diskSymptom(asObject(await client.get('/_health_report/disk'), 'health')),
  }),
});

/** Yellow above the high watermark, red above the flood stage or with blocked indices; unknown is no symptom. */
function diskSymptom({ indicators }: Doc): string | undefined {
  const { status, symptom } = asObject(asObject(indicators, 'indicators').disk, 'disk');
  return status === 'yellow' || status === 'red' ? asText(symptom, 'symptom') : undefined;
}

/** Sections are lists of issues, or lists by the name of what they are about. */
function criticalIn(answer: Doc): string[] {
  return Object.values(answer).flatMap((section) => {
    if (Array.isArray(section)) return critical(section, undefined);
    return typeof section === 'object' && section !== null
      ? Object.entries(section).flatMap(([name, issues]) => critical(asList(issues, name), name))
      : [];
  });
}

const critical = (issues: readonly unknown[], about: string | undefined): string[] =>
  asObjects(issues, 'issue')
    .filter(({ level }) => level === 'critical')
    .map(({ message }) => `${about === undefined ? '' : `${about}: `}${String(message)}`);

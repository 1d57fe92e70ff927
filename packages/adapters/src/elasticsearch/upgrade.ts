import { TransientError } from '@drover/core';
import type { UpgradeReader } from '@drover/search-cluster';
import type { SearchClient } from './client/client.ts';
import { asList, asObject, asObjects, asText, asTexts, type Doc } from './reading.ts';

/** Versions of the nodes, and what Elasticsearch's own upgrade assistant asks before an upgrade. */
export const upgradeReader = (client: SearchClient): UpgradeReader => ({
  nodes: () => nodesOf(client),
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

type FoundNode = Awaited<ReturnType<UpgradeReader['nodes']>>[number];

/** Behind a load balancer: the next node takes the next request. */
const mostAnswers = 5;

/**
 * `_nodes` is the view of the node that responds. One that is outside of the cluster, such as one whose version may not
 * join any more, knows itself alone, and a load balancer sends requests to it all the same; the cluster state comes from
 * the master.
 */
async function nodesOf(client: SearchClient): Promise<readonly FoundNode[]> {
  for (let answers = 1; ; answers++) {
    const found = await nodesInfo(client);
    const state = asObject(await client.get('/_cluster/state/nodes?filter_path=nodes.*.name'), 'cluster state');
    const members = asObject(state.nodes, 'nodes');
    const outside = found.find(({ id }) => members[id] === undefined);
    if (outside === undefined) return found;
    if (answers === mostAnswers) throw new TransientError(`node ${outside.name} responds, and is not in the cluster`);
  }
}

async function nodesInfo(client: SearchClient): Promise<readonly FoundNode[]> {
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
}

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

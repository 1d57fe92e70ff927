import { anonymousRole, nodeRoles } from '@drover/core/names/search-cluster';
import data from '../catalogs/search_data.snap.json' with { type: 'json' };
import master from '../catalogs/search_master.snap.json' with { type: 'json' };
import bootstrapping from '../catalogs/search_master_bootstrapping.snap.json' with { type: 'json' };
import { growVolume, mountVolume } from '../data/data-volume.ts';
import type { CatalogStep, Catalogs } from './catalog-step.ts';
import { BootFailure } from './machine-host.ts';

/** The facts of a node by their roots. */
export interface NodeFacts {
  readonly drover: Readonly<Record<string, unknown>>;
  readonly elasticsearch: Readonly<Record<string, unknown>>;
  readonly search_node: Readonly<Record<string, unknown>>;
}

const catalogs: Catalogs = {
  search_data: data as readonly CatalogStep[],
  search_master: master as readonly CatalogStep[],
  search_master_bootstrapping: bootstrapping as readonly CatalogStep[],
};

/** Content of a file that no fact changes, the same on every node. */
export function fixedFile(path: string): string {
  const content = catalogs.search_data!.find(({ file }) => file === path)?.content;
  if (content === undefined) throw new Error(`the catalog has no file ${path}`);
  return content;
}

/** The steps that the real Puppet would apply to a node with these facts; an older release has catalogues of its own. */
export function catalogFor(facts: NodeFacts, from: Catalogs = catalogs): readonly CatalogStep[] {
  const forms = Array.isArray(facts.search_node.initial_masters);
  const name =
    facts.drover.role === nodeRoles.master ? `${nodeRoles.master}${forms ? '_bootstrapping' : ''}` : nodeRoles.data;
  const steps = from[name];
  if (steps === undefined) throw new BootFailure(`there is no catalog ${name}`);
  return [...volumeSteps(facts), ...steps].map((step) => withSettings(fill(step, facts), facts));
}

/** As volume.pp has them: before the package of Elasticsearch makes what is in it. */
const volumeSteps = ({ elasticsearch }: NodeFacts): readonly CatalogStep[] =>
  elasticsearch.data_volume === true ? [{ exec: mountVolume }, { exec: growVolume }] : [];

/** As elasticsearch.yml.epp writes the input elasticsearch_settings. */
function withSettings(step: CatalogStep, { elasticsearch: { settings } }: NodeFacts): CatalogStep {
  if (step.file !== '/etc/elasticsearch/elasticsearch.yml' || settings === undefined) return step;
  const lines = Object.entries(settings as object).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return { ...step, content: `${step.content}\n# The input elasticsearch_settings.\n${lines.join('')}` };
}

function fill(step: CatalogStep, facts: NodeFacts): CatalogStep {
  const entries = Object.entries(step).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.replaceAll(/\{\{([\w.]+)\}\}/g, (_, path: string) => factAt(path, facts)) : value,
  ]);
  return Object.fromEntries(entries) as CatalogStep;
}

/** As config.pp computes it. */
function heapMb({ search_node, elasticsearch }: NodeFacts): number {
  const half = Math.floor(Number(search_node.memory_mb) / 2);
  const { heap_max_gib: limit } = elasticsearch;
  return typeof limit === 'number' ? Math.min(half, limit * 1024) : half;
}

/** As config.pp has them for every group but the masters. */
const nodeRolesOf = ({ elasticsearch: { node_roles: roles } }: NodeFacts) =>
  Array.isArray(roles) ? (roles as string[]) : ['data', 'ingest', 'remote_cluster_client', 'transform'];

/** As elasticsearch.yml.epp writes them. */
const anonymousRoles = ({ elasticsearch }: NodeFacts) =>
  elasticsearch.anonymous_monitoring === false ? '' : anonymousRole;

/** As elasticsearch.yml.epp writes them: a line of their own, or none. */
const forcedZones = ({ search_node: { forced_zones: zones } }: NodeFacts) =>
  Array.isArray(zones) ? `cluster.routing.allocation.awareness.force.zone.values: ${JSON.stringify(zones)}\n` : '';

function factAt(path: string, facts: NodeFacts): string {
  if (path === 'anonymous_roles') return anonymousRoles(facts);
  if (path === 'forced_zones') return forcedZones(facts);
  if (path === 'node_roles') return nodeRolesOf(facts).join(', ');
  if (path === 'heap_mb') return String(heapMb(facts));
  const [root, name] = path.split('.') as [keyof NodeFacts, string];
  const value = facts[root]?.[name];
  if (value === undefined || value === null) throw new BootFailure(`the fact ${path} is missing`);
  return Array.isArray(value) ? value.map((each) => JSON.stringify(each)).join(', ') : String(value);
}

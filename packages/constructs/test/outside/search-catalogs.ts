import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { puppetTree } from './scratch-root.ts';
import { SearchScratchRoot } from './search-scratch-root.ts';

/** The part of a resource that a simulated machine needs, in the order in which Puppet applies them. */
export type CatalogStep = Readonly<Record<string, unknown>>;

interface Resource {
  readonly type: string;
  readonly title: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}
interface Catalog {
  readonly resources: readonly Resource[];
  /** Containment: a class or a define, and what is in it. */
  readonly edges: readonly { readonly source: string; readonly target: string }[];
}

/** Facts that stand out, and what stands for them in the fixture. */
const markers: Readonly<Record<string, string>> = {
  'fact-region': '{{drover.region}}',
  'fact-cluster-name': '{{elasticsearch.cluster_name}}',
  'fact-environment': '{{elasticsearch.environment}}',
  '8.19.987': '{{elasticsearch.version}}',
  'bootstrap.memory_lock: true': 'bootstrap.memory_lock: {{elasticsearch.memory_lock}}',
  'anonymous.roles: [anonymous_monitor]': 'anonymous.roles: [{{anonymous_roles}}]',
  'fact-host-name': '{{search_node.host_name}}',
  'fact-private-ip': '{{search_node.private_ip}}',
  'fact-zone': '{{search_node.zone}}',
  'node.roles: [fact-node-roles]': 'node.roles: [{{node_roles}}]',
  'cluster.routing.allocation.awareness.force.zone.values: ["fact-forced-zones"]\n': '{{forced_zones}}',
  '"fact-initial-masters"': '{{search_node.initial_masters}}',
  '12345m': '{{heap_mb}}m',
};

/** Compiles the catalog of a role with the real Puppet and keeps what a simulated machine needs. */
export function compileSearchCatalog(
  puppet: string,
  role: 'search_master' | 'search_data',
  bootstrapping: boolean,
): readonly CatalogStep[] {
  const scratch = new SearchScratchRoot(role, {
    drover: { region: 'fact-region' },
    elasticsearch: {
      ...{ cluster_name: 'fact-cluster-name', environment: 'fact-environment', version: '8.19.987' },
      ...(role === 'search_data' ? { node_roles: ['fact-node-roles'] } : {}),
    },
    search_node: {
      host_name: 'fact-host-name',
      private_ip: 'fact-private-ip',
      zone: 'fact-zone',
      memory_mb: 24_690,
      initial_masters: bootstrapping ? ['fact-initial-masters'] : null,
      ...(role === 'search_master' ? { forced_zones: ['fact-forced-zones'] } : {}),
    },
  });
  const options = scratch.puppetOptions(join(puppetTree, 'hiera.yaml'));
  const args = ['catalog', 'compile', 'node', '--render-as', 'json', ...options];
  const { stdout } = spawnSync(puppet, [...args, '--manifest', join(puppetTree, 'manifests')], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  scratch.remove();
  const catalog = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Catalog;
  return inOrder(catalog).flatMap(stepOf);
}

/** As text, with the facts as parameters. */
export function catalogText(steps: readonly CatalogStep[]): string {
  const text = JSON.stringify(steps, undefined, 2);
  const escaped = (value: string) => JSON.stringify(value).slice(1, -1);
  return `${Object.entries(markers).reduce((all, [found, stands]) => all.replaceAll(escaped(found), stands), text)}\n`;
}

/** Containers one after the other, as the classes are chained; inside, what another needs comes first. */
function inOrder({ resources, edges }: Catalog): readonly Resource[] {
  const byName = new Map(resources.map((resource) => [nameOf(resource), resource]));
  const done = new Set<string>();
  const order: Resource[] = [];
  const place = (name: string) => {
    const resource = byName.get(name);
    if (resource === undefined || done.has(name)) return;
    done.add(name);
    for (const needed of needs(resource, resources)) place(needed);
    order.push(resource);
    const inside = new Set(edges.filter(({ source }) => source === name).map(({ target }) => target));
    for (const each of resources) if (inside.has(nameOf(each))) place(nameOf(each));
  };
  place('Stage[main]');
  return order;
}

const nameOf = ({ type, title }: Resource) => `${type}[${title}]`;
const named = (value: unknown) => [value].flat().filter((name): name is string => typeof name === 'string');

/** Resources that it requires itself, and those that others put before it. */
function needs(resource: Resource, all: readonly Resource[]): readonly string[] {
  const { parameters = {} } = resource;
  const isBefore = ({ parameters: other = {} }: Resource) =>
    [...named(other.before), ...named(other.notify)].includes(nameOf(resource));
  return [...named(parameters.require), ...named(parameters.subscribe), ...all.filter(isBefore).map(nameOf)];
}

function stepOf({ type, title, parameters = {} }: Resource): readonly CatalogStep[] {
  const pick = (...names: string[]) =>
    Object.fromEntries(names.filter((name) => parameters[name] !== undefined).map((name) => [name, parameters[name]]));
  switch (type) {
    case 'File':
      return [{ file: title, ...pick('ensure', 'target', 'owner', 'group', 'mode', 'source', 'content') }];
    case 'Package':
      return [{ package: title, ...pick('ensure') }];
    case 'Service':
      return [{ service: title, ...pick('ensure', 'enable') }];
    case 'Exec':
      return parameters.refreshonly === true ? [] : [{ exec: title, ...pick('command', 'unless', 'creates') }];
    default:
      return [];
  }
}

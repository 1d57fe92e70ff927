import { isIP } from 'node:net';
import { splitList } from '../../coordination/settings.ts';
import type { IndexMetadata } from '../../state/index-metadata.ts';
import type { DiscoveryNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { wildcardToRegExp } from '../../values/filter-path.ts';
import { type AllocationContext, type Decider, type Decision, no, yes } from '../decision.ts';

const name = 'filter';
type Filters = ReadonlyMap<string, string>;

/** Include, exclude and require filters of cluster and index ("Cluster-level shard allocation filtering"). */
export const filter: Decider = {
  name,
  canAllocate: decide,
  canRemain: decide,
};

function decide(shard: ShardRouting, node: DiscoveryNode, { settings, routing }: AllocationContext): Decision {
  const clusterGroup = (kind: string) => settings.group(`cluster.routing.allocation.${kind}.`);
  const index = routing.index(shard.index);
  const indexGroup = (kind: string) => settingsBelow(index, `index.routing.allocation.${kind}.`);
  return (
    check('cluster', 'cluster.routing.allocation', clusterGroup, node) ??
    check('index', 'index.routing.allocation', indexGroup, node) ??
    yes(name, 'node passes include/exclude/require filters')
  );
}

function check(
  scope: string,
  prefix: string,
  group: (kind: string) => Filters,
  node: DiscoveryNode,
): Decision | undefined {
  const require = group('require');
  if (require.size > 0 && ![...require].every(([key, values]) => matches(node, key, values)))
    return no(name, `node does not match ${scope} setting [${prefix}.require] filters [${text(require, ' AND ')}]`);
  const include = group('include');
  if (include.size > 0 && ![...include].some(([key, values]) => matches(node, key, values)))
    return no(name, `node does not match ${scope} setting [${prefix}.include] filters [${text(include, ' OR ')}]`);
  const exclude = group('exclude');
  if (exclude.size > 0 && [...exclude].some(([key, values]) => matches(node, key, values)))
    // For an index the name has a dot at its end.
    return no(
      name,
      `node matches ${scope} setting [${prefix}.exclude${scope === 'index' ? '.' : ''}] filters [${text(exclude, ' OR ')}]`,
    );
  return undefined;
}

const remembered = new WeakMap<object, Map<string, Filters>>();

/** Tier preference is a rule of its own (`data_tier`). Settings objects never change, so what was read is kept. */
function settingsBelow(index: IndexMetadata, prefix: string): Filters {
  let own = remembered.get(index.settings);
  if (own === undefined) {
    own = new Map();
    remembered.set(index.settings, own);
  }
  let found = own.get(prefix);
  if (found === undefined) {
    found = new Map(
      Object.entries(index.settings)
        .filter(([key]) => key.startsWith(prefix) && key !== 'index.routing.allocation.include._tier_preference')
        .map(([key, value]) => [key.slice(prefix.length), typeof value === 'string' ? value : value.join(',')]),
    );
    own.set(prefix, found);
  }
  return found;
}

function matches(node: DiscoveryNode, key: string, values: string): boolean {
  const actual = valuesOf(node, key);
  return splitList(values).some((pattern) => actual.some((value) => wildcardToRegExp(pattern).test(value)));
}

function valuesOf(node: DiscoveryNode, key: string): string[] {
  switch (key) {
    case '_ip':
    case '_host_ip':
    case '_publish_ip':
      return [node.ip];
    case '_host':
      return [node.host, node.ip];
    case '_name':
      return [node.name];
    case '_id':
      return [node.id];
    default:
      return node.attributes[key] === undefined ? [] : [node.attributes[key]];
  }
}

const text = (filters: Filters, joint: string) =>
  [...filters].map(([key, values]) => `${key}:"${splitList(values).join(' OR ')}"`).join(joint);

/** Address filters are checked when they are set; wildcards and ranges are left alone. */
export function invalidAddress(key: string, value: string): string | undefined {
  if (!/\.(_ip|_host_ip|_publish_ip)$/.test(key)) return undefined;
  return splitList(value).find((address) => !/[*/]/.test(address) && isIP(address) === 0);
}

import { wildcardToRegExp } from '../values/filter-path.ts';
import type { ClusterState } from './cluster-state.ts';
import { type DiscoveryNode, isDataNode } from './node-info.ts';

/** Nodes that a filter means ("Node specification"): ids, names, addresses, `_local`, `_master`, `role:true`, `attribute:value`. */
export function selectNodes(state: ClusterState, filters: readonly string[], localId: string): DiscoveryNode[] {
  const nodes = [...state.nodes.values()];
  if (filters.length === 0) return nodes;
  const chosen = new Set<DiscoveryNode>();
  for (const filter of filters)
    for (const node of nodes) {
      const verdict = matches(filter, node, state, localId);
      if (verdict === 'add') chosen.add(node);
      else if (verdict === 'drop') chosen.delete(node);
    }
  return nodes.filter((node) => chosen.has(node));
}

function matches(
  filter: string,
  node: DiscoveryNode,
  state: ClusterState,
  localId: string,
): 'add' | 'drop' | undefined {
  if (filter === '_all') return 'add';
  if (filter === '_local') return node.id === localId ? 'add' : undefined;
  if (filter === '_master') return node.id === state.masterId ? 'add' : undefined;
  const colon = filter.indexOf(':');
  if (colon > 0) return byProperty(filter.slice(0, colon), filter.slice(colon + 1), node);
  const pattern = wildcardToRegExp(filter);
  return [node.id, node.name, node.ip, node.host].some((value) => pattern.test(value)) ? 'add' : undefined;
}

function byProperty(name: string, value: string, node: DiscoveryNode): 'add' | 'drop' | undefined {
  if (value === 'true' || value === 'false') {
    const has = hasRole(name, node);
    if (has !== undefined) return has ? (value === 'true' ? 'add' : 'drop') : undefined;
  }
  const actual = name === '_name' ? node.name : name === '_ip' ? node.ip : node.attributes[name];
  return actual !== undefined && wildcardToRegExp(value).test(actual) ? 'add' : undefined;
}

function hasRole(name: string, node: DiscoveryNode): boolean | undefined {
  if (name === 'data') return isDataNode(node);
  if (name === 'coordinating_only') return node.roles.length === 0;
  return ['master', 'ingest', 'ml', 'transform', 'voting_only', 'remote_cluster_client'].includes(name) ||
    name.startsWith('data_')
    ? node.roles.includes(name)
    : undefined;
}

import type { SearchNode } from '../../../engine/coordination/search-node.ts';
import type { FlatSettings } from '../../../engine/coordination/settings.ts';
import type { SearchCluster } from '../../../engine/search-cluster.ts';

/** The settings that stand in a node's configuration file, flat. */
export function nodeConfig(cluster: SearchCluster, node: SearchNode): FlatSettings {
  const { attributes } = node.discovery();
  return {
    'client.type': 'node',
    'cluster.name': cluster.clusterName,
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`node.attr.${name}`, value])),
    'node.name': node.name,
    ...(node.options.roles === undefined ? {} : { 'node.roles': node.roles }),
    'path.home': '/usr/share/elasticsearch',
    'path.logs': '/var/log/elasticsearch',
    'path.data': '/var/lib/elasticsearch',
    'http.type': 'security4',
    'http.type.default': 'netty4',
    'transport.type': 'security4',
    'transport.type.default': 'netty4',
    ...cluster.options.settings,
    ...node.options.settings,
  };
}

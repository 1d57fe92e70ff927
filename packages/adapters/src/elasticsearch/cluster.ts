import type { ClusterHealth, ClusterHealthReader } from '@drover/search-cluster';
import type { SearchClient } from './client.ts';
import { asNumber, asObject, asOneOf, asText } from './reading.ts';

/** Reads `GET /_cluster/health`. */
export const healthReader = (client: SearchClient): ClusterHealthReader => ({
  health: async () => readHealth(await client.json({ method: 'GET', path: '/_cluster/health' })),
});

function readHealth(answer: unknown): ClusterHealth {
  const doc = asObject(answer, 'cluster health');
  return {
    clusterName: asText(doc.cluster_name, 'cluster_name'),
    status: asOneOf(doc.status, ['green', 'yellow', 'red'], 'status'),
    nodes: asNumber(doc.number_of_nodes, 'number_of_nodes'),
    dataNodes: asNumber(doc.number_of_data_nodes, 'number_of_data_nodes'),
    relocatingShards: asNumber(doc.relocating_shards, 'relocating_shards'),
    initializingShards: asNumber(doc.initializing_shards, 'initializing_shards'),
    unassignedShards: asNumber(doc.unassigned_shards, 'unassigned_shards'),
  };
}

import { loadOnce } from '@drover/core/load-once';
import type { ClusterNode, TopologyReader } from '@drover/search-cluster';
import type { SearchClient } from './client.ts';
import { UnreadableAnswer } from './errors.ts';
import { asList, asObject, asText, type Doc } from './reading.ts';

/** What a cluster that has not formed shows as its UUID. */
const notFormed = '_na_';

/** Reads who is in the cluster from the cluster state: one consistent answer, without asking every node. */
export function topologyReader(client: SearchClient): TopologyReader {
  return {
    topology: async () => {
      const path = '/_cluster/state/nodes?filter_path=cluster_name,cluster_uuid,nodes';
      const doc = asObject(await client.json({ method: 'GET', path }), 'cluster state');
      const nodes = Object.entries(asObject(doc.nodes, 'nodes')).map(([id, node]) => readNode(id, asObject(node, id)));
      const uuid = doc.cluster_uuid === notFormed ? undefined : (doc.cluster_uuid as string | undefined);
      return { clusterName: asText(doc.cluster_name, 'cluster_name'), clusterUuid: uuid, nodes };
    },
    // It never changes while the node runs; a failure to read it is not kept.
    localNodeId: loadOnce(() => readLocalId(client)),
  };
}

function readNode(id: string, doc: Doc): ClusterNode {
  return {
    id,
    name: asText(doc.name, 'name'),
    ip: addressOf(asText(doc.transport_address, 'transport_address')),
    roles: asList(doc.roles, 'roles').map((role) => asText(role, 'role')),
  };
}

/** `10.0.0.1:9300`, `[::1]:9300` or `host/10.0.0.1:9300`. */
function addressOf(transportAddress: string): string {
  const address = transportAddress.slice(transportAddress.indexOf('/') + 1);
  return address.startsWith('[') ? address.slice(1, address.indexOf(']')) : address.replace(/:\d+$/, '');
}

async function readLocalId(client: SearchClient): Promise<string> {
  const answer = await client.json({ method: 'GET', path: '/_nodes/_local?filter_path=nodes.*.name' });
  const id = Object.keys(asObject(asObject(answer, 'local node').nodes, 'nodes'))[0];
  if (id === undefined) throw new UnreadableAnswer('Elasticsearch does not tell the id of the node that answers');
  return id;
}

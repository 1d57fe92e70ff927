import { loadOnce } from '@drover/core/load-once';
import { drillPrefix } from '@drover/core/names/search-cluster';
import type { ClusterHealth, ClusterNode } from '@drover/search-cluster';
import type {
  ClusterHealthReader,
  ClusterSettings,
  ElectedMaster,
  LocalNode,
  TopologyReader,
} from '@drover/search-cluster/ports';
import type { SearchClient } from './client/client.ts';
import { UnreadableAnswer } from './client/errors.ts';
import { asNumber, asObject, asOneOf, asText, asTexts, type Doc } from './reading.ts';

/** Reads `GET /_cluster/health`. */
export const healthReader = (client: SearchClient): ClusterHealthReader => ({
  health: async () => readHealth(await client.get('/_cluster/health')),
});

/**
 * The health of everything but the copies of restore drills. Such a copy is yellow while it is restored and red when the
 * snapshot is damaged; no client reads it, and no node has to stay for it.
 */
export const healthWithoutDrills = (client: SearchClient): ClusterHealthReader => ({
  health: async () => readHealth(await client.get(`/_cluster/health/*,-${drillPrefix}*`)),
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
    delayedShards: asNumber(doc.delayed_unassigned_shards ?? 0, 'delayed_unassigned_shards'),
  };
}

/** Persistent cluster settings, one at a time. */
export const clusterSettings = (client: SearchClient): ClusterSettings => ({
  persistent: async (name) => {
    const path = '/_cluster/settings?flat_settings=true&filter_path=persistent';
    const { persistent = {} } = asObject(await client.get(path), 'settings');
    const value = asObject(persistent, 'persistent')[name];
    return value === undefined ? undefined : asText(value, name);
  },
  setPersistent: async (name, value) => {
    const body = JSON.stringify({ persistent: { [name]: value } });
    await client.json({ method: 'PUT', path: '/_cluster/settings', body });
  },
});

/** The UUID that a cluster shows before it has formed. */
const notFormed = '_na_';

/** Reads the members of the cluster from the cluster state: one consistent reading, without asking every node. */
export function topologyReader(client: SearchClient): TopologyReader {
  return {
    topology: async () => {
      const path = '/_cluster/state/nodes?filter_path=cluster_name,cluster_uuid,nodes';
      const doc = asObject(await client.get(path), 'cluster state');
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
    roles: asTexts(doc.roles, 'roles'),
  };
}

/** `10.0.0.1:9300`, `[::1]:9300` or `host/10.0.0.1:9300`. */
export function addressOf(transportAddress: string): string {
  const address = transportAddress.slice(transportAddress.indexOf('/') + 1);
  return address.startsWith('[') ? address.slice(1, address.indexOf(']')) : address.replace(/:\d+$/, '');
}

async function readLocalId(client: SearchClient): Promise<string> {
  const answer = await client.get('/_nodes/_local?filter_path=nodes.*.name');
  const id = Object.keys(asObject(asObject(answer, 'local node').nodes, 'nodes'))[0];
  if (id === undefined) throw new UnreadableAnswer('Elasticsearch does not report the id of the node that responds');
  return id;
}

/** The node that responds, by its own account. */
export const localNode = (client: SearchClient): LocalNode => ({
  identity: async () => {
    const root = asObject(await client.get('/'), 'node');
    return {
      nodeId: await readLocalId(client),
      clusterUuid: root.cluster_uuid === notFormed ? undefined : asText(root.cluster_uuid, 'cluster_uuid'),
      version: asText(asObject(root.version, 'version').number, 'version'),
    };
  },
});

/** The elected master, as the node that responds sees it. */
export const electedMaster = (client: SearchClient): ElectedMaster => ({
  masterNodeId: async () => {
    const path = '/_cluster/state/master_node?filter_path=master_node';
    const answer = asObject(await client.get(path), 'cluster state');
    return asText(answer.master_node, 'master_node');
  },
});

/** The masters that vote, as the node that responds last saw them. */
export interface LastVotes {
  /** Node ids of the last committed voting configuration. */
  readonly committed: readonly string[];
  /** Members of the cluster then; a voter that had left before is not among them. */
  readonly nodes: readonly { readonly id: string; readonly ip: string }[];
}

const lastVotesParts = ['metadata.cluster_coordination.last_committed_config', 'nodes.*.transport_address'];
const lastVotesPath = `/_cluster/state/metadata,nodes?local=true&filter_path=${lastVotesParts.join()}`;

/** Needs no elected master: with `local` the node itself responds, at once and from its last state. */
export async function readLastVotes(client: SearchClient): Promise<LastVotes> {
  const doc = asObject(await client.get(lastVotesPath), 'cluster state');
  const coordination = asObject(asObject(doc.metadata, 'metadata').cluster_coordination, 'cluster_coordination');
  const committed = asTexts(coordination.last_committed_config, 'last_committed_config');
  if (committed.length === 0) throw new UnreadableAnswer('the node that responds has never been in the cluster');
  const nodes = Object.entries(asObject(doc.nodes, 'nodes')).map(([id, node]) => ({
    id,
    ip: addressOf(asText(asObject(node, id).transport_address, 'transport_address')),
  }));
  return { committed, nodes };
}

/** A node that is in the cluster now. */
export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  /** Private address without the port. */
  readonly ip: string;
  readonly roles: readonly string[];
}

/** The members of the cluster, read from one cluster state. */
export interface Topology {
  readonly clusterName: string;
  /** Undefined while the cluster has not formed. */
  readonly clusterUuid: string | undefined;
  readonly nodes: readonly ClusterNode[];
}

export const isMasterEligible = (node: Pick<ClusterNode, 'roles'>): boolean => node.roles.includes('master');

/** Holds shards: `data` or one of its tiers. */
export const isDataNode = (node: Pick<ClusterNode, 'roles'>): boolean =>
  node.roles.some((role) => role === 'data' || role.startsWith('data_'));

const dataRoles = ({ roles }: Pick<ClusterNode, 'roles'>) => roles.filter((role) => /^data(_|$)/.test(role));

/** The generic role stands for every tier (Elasticsearch reference, "Data tiers"). */
function shareTier(one: ClusterNode, other: ClusterNode): boolean {
  const [roles, others] = [dataRoles(one), dataRoles(other)];
  return roles.includes('data') || others.includes('data') || roles.some((role) => others.includes(role));
}

/** Nodes that take the shards of one that goes: those of its tier, and without any those of the next in the preference of an index. */
export function takersOf(
  { nodes }: Pick<Topology, 'nodes'>,
  nodeId: string,
  leaving: ReadonlySet<string>,
): readonly ClusterNode[] {
  const own = nodes.find(({ id }) => id === nodeId);
  const others = nodes.filter((node) => isDataNode(node) && node.id !== nodeId && !leaving.has(node.id));
  const alike = own === undefined ? [] : others.filter((node) => shareTier(own, node));
  return alike.length > 0 ? alike : others;
}

/** Finds a node by id, name or address. */
export const findNode = (topology: Topology, wanted: string): ClusterNode | undefined =>
  topology.nodes.find((node) => node.id === wanted || node.name === wanted || node.ip === wanted);

/** The masters that vote in elections. */
export interface VotingFacts {
  /** Node ids of the last committed voting configuration. */
  readonly committed: readonly string[];
  /** Nodes that were taken out of voting by hand; the list is cleared only as a whole. */
  readonly exclusions: readonly { readonly nodeId: string; readonly nodeName: string }[];
}

/** The shards that a joining node still receives. */
export interface NodeRecovery {
  /** Recoveries with this node as their target that are not done. */
  readonly active: number;
  readonly bytesTotal: number;
  readonly bytesRecovered: number;
}

/** A node's disk as Elasticsearch measures it. */
export interface NodeDisk {
  readonly nodeId: string;
  readonly totalBytes: number;
  readonly availableBytes: number;
}

/** The low watermark: above it no shard is allocated to a node. */
export type Watermark =
  /** Share of the disk that may be used, e.g. 0.85; the free space asked for never exceeds `maxHeadroomBytes`. */
  | { readonly kind: 'used-share'; readonly share: number; readonly maxHeadroomBytes?: number }
  /** Bytes that must stay free. */
  | { readonly kind: 'free-bytes'; readonly bytes: number };

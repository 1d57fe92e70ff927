/** A node that is in the cluster now. */
export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  /** Private address without the port. */
  readonly ip: string;
  readonly roles: readonly string[];
}

/** Who is in the cluster, read from one cluster state. */
export interface Topology {
  readonly clusterName: string;
  /** Undefined while the cluster has not formed. */
  readonly clusterUuid: string | undefined;
  readonly nodes: readonly ClusterNode[];
}

export const isMasterEligible = (node: ClusterNode): boolean => node.roles.includes('master');

/** Holds shards: `data` or one of its tiers. */
export const isDataNode = (node: ClusterNode): boolean =>
  node.roles.some((role) => role === 'data' || role.startsWith('data_'));

/** Finds a node by id, name or address. */
export const findNode = (topology: Topology, wanted: string): ClusterNode | undefined =>
  topology.nodes.find((node) => node.id === wanted || node.name === wanted || node.ip === wanted);

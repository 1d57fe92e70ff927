import { type Refusal, refuse } from '@drover/core';
import { clusterUuidTag } from '@drover/core/names/search-cluster';
import { type GroupInstance, inService } from '../../model/lifecycle.ts';
import type { Topology } from '../../model/topology.ts';

export type MembershipVerdict =
  | { readonly kind: 'member' }
  | { readonly kind: 'not-yet'; readonly because: string }
  | Refusal<'foreign-cluster'>;

/**
 * Whether the node is in the cluster that the others are in. A node that formed a cluster of its own looks healthy from
 * inside, so the others are taken as witnesses: their addresses, and the cluster UUID that each was commissioned in.
 */
export function checkMembership(
  topology: Topology,
  nodeId: string,
  peers: readonly GroupInstance[] | undefined,
): MembershipVerdict {
  if (topology.clusterUuid === undefined) return { kind: 'not-yet', because: 'the cluster has not formed yet' };
  if (!topology.nodes.some((node) => node.id === nodeId))
    return { kind: 'not-yet', because: 'this node has not joined yet' };
  const witnesses = (peers ?? []).filter((peer) => peer.lifecycleState === inService);
  return otherUuid(topology, witnesses) ?? nobodyHere(topology, witnesses) ?? { kind: 'member' };
}

const uuidOf = (peer: GroupInstance) => peer.tags[clusterUuidTag];

function otherUuid(topology: Topology, witnesses: readonly GroupInstance[]): Refusal<'foreign-cluster'> | undefined {
  const other = witnesses.find((peer) => uuidOf(peer) !== undefined && uuidOf(peer) !== topology.clusterUuid);
  if (other === undefined) return undefined;
  return foreign(
    `this node is in cluster ${topology.clusterUuid}, but ${other.instanceId} was commissioned in ${uuidOf(other)}`,
  );
}

function nobodyHere(topology: Topology, witnesses: readonly GroupInstance[]): Refusal<'foreign-cluster'> | undefined {
  const addresses = new Set(topology.nodes.map((node) => node.ip));
  const known = witnesses.filter((peer) => peer.privateIp !== undefined);
  if (known.length === 0 || known.some((peer) => addresses.has(peer.privateIp!))) return undefined;
  return foreign(
    `none of the ${known.length} instances in service is in this node's cluster ${topology.clusterUuid} (it has ${topology.nodes.length} nodes)`,
  );
}

const foreign = (reason: string) =>
  refuse(
    'foreign-cluster',
    reason,
    'look at discovery and cluster.initial_master_nodes in /etc/elasticsearch/elasticsearch.yml; a node that formed a cluster of its own has to be replaced',
  );

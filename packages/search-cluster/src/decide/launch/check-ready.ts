import type { AwaitedDeployment } from '../../model/deployment.ts';
import type { ClusterHealth } from '../../model/health.ts';

/** Whether the cluster is what a deployment promises: every node has joined, and it is green. Says what it sees either way. */
export function checkReady(
  { status, nodes, dataNodes, unassignedShards }: ClusterHealth,
  { masters, data }: Pick<AwaitedDeployment, 'masters' | 'data'>,
): { readonly ready: boolean; readonly says: string } {
  const says = `cluster ${status}: ${nodes} of ${masters + data} nodes have joined, ${dataNodes} of ${data} data nodes, ${unassignedShards} shards are unassigned`;
  return { ready: status === 'green' && nodes >= masters + data && dataNodes >= data, says };
}

import type { Engine } from '@drover/cloud-engine';
import { ElasticsearchError, notMaster } from '../errors.ts';
import { type ClusterState, emptyState } from '../state/cluster-state.ts';
import type { MasterServices } from './master-services.ts';
import type { SearchNode } from './search-node.ts';

/** How long a wait for a master sleeps between looks. */
const masterPollMs = 200;

/** The nodes and their masters, as requests on one of the nodes need them. */
export interface ClusterAccess {
  readonly engine: Engine;
  readonly version: string;
  readonly nodes: readonly SearchNode[];
  servicesOf(node: SearchNode): MasterServices | undefined;
}

/** This node's state, without asking the master. */
export const localState = (node: SearchNode): ClusterState => node.view()?.state ?? emptyState('_na_', '_na_');

/** The services of the master that the node follows; waits for one up to `timeoutMs`, for ever below 0. */
export function waitForMaster(cluster: ClusterAccess, node: SearchNode, timeoutMs: number): Promise<MasterServices> {
  const { clock } = cluster.engine;
  const deadline = clock.now() + timeoutMs;
  const closed = () => new ElasticsearchError({ type: 'node_closed_exception', reason: `node closed ${node.name}` });
  return new Promise((resolve, reject) => {
    // Commands of all nodes wait while there is no master: a look is no more than a timer.
    const look = () => {
      const services = node.reachesMaster ? cluster.servicesOf(node) : undefined;
      if (services !== undefined) return resolve(services);
      const leftMs = deadline - clock.now();
      if (leftMs <= 0 && timeoutMs >= 0) return reject(notMaster());
      clock.after(Math.min(masterPollMs, Math.max(1, leftMs)), () => (node.running ? look() : reject(closed())));
    };
    look();
  });
}

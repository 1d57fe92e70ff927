import { ClusterSimulation, type ClusterSimulationOptions } from '@drover/simulation/cluster/cluster-simulation';
import { createGroups } from '@drover/simulation/cluster/create-groups';

export { secretIds } from '@drover/simulation/cluster/create-groups';
export { commission, scheduledDrain } from '@drover/simulation/cluster/search-image';

export const minute = 60_000;
export const hour = 60 * minute;

interface SearchWorldOptions extends ClusterSimulationOptions {
  /** @default 3 */
  readonly masters?: number;
  /** @default 3 */
  readonly data?: number;
}

/** A search cluster in two autoscaling groups on the embedded cloud, whose machines run the real command. */
export class SearchWorld extends ClusterSimulation {
  /** A green cluster with all its instances in service. */
  static async start({ masters = 3, data = 3, ...options }: SearchWorldOptions = {}): Promise<SearchWorld> {
    await SearchWorld.preload();
    const world = new SearchWorld(options);
    await createGroups(world, { masters, data });
    return world;
  }

  /** The instance of the elected master. */
  electedMaster(): string {
    const { leader } = this.cluster.services!.core;
    return [...this.nodes].find(([, node]) => node === leader)![0];
  }
}

import { createGroups, DeployedCluster, type DeployedClusterOptions } from '@drover/stage/cluster';

export { scheduledDrain, secretIds, setGroupSize } from '@drover/stage/cluster';

/** As the unit of a node runs it. */
export const commission = 'cluster-cli cluster commission-node --complete-lifecycle-action launching';

export const minute = 60_000;
export const hour = 60 * minute;

interface SearchWorldOptions extends DeployedClusterOptions {
  /** @default 3 */
  readonly masters?: number;
  /** @default 3 */
  readonly data?: number;
  /** As many data nodes as full disks may give it. @default as many as `data` */
  readonly mostData?: number;
}

/** A search cluster in two autoscaling groups on the embedded cloud, whose machines run the real command. */
export class SearchWorld extends DeployedCluster {
  /** A green cluster with all its instances in service. */
  static async start({
    masters = 3,
    data = 3,
    mostData = data,
    ...options
  }: SearchWorldOptions = {}): Promise<SearchWorld> {
    await SearchWorld.preload();
    const world = new SearchWorld(options);
    await createGroups(world, { masters, data, mostData });
    return world;
  }

  /** The instance of the elected master. */
  electedMaster(): string {
    const { leader } = this.core;
    return [...this.nodes].find(([, node]) => node === leader)![0];
  }
}

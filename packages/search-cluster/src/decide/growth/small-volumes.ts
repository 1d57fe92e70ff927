import { groupNames } from '@drover/core/names/search-cluster';
import { type GroupInstance, isLeaving } from '../../model/lifecycle.ts';
import { type DataVolume, isModified } from '../../model/volume.ts';

export interface GrowthFacts {
  /** No data node is to have less. */
  readonly leastGiB: number;
  readonly volumes: readonly DataVolume[];
}

export interface GrowVolume {
  readonly kind: 'grow-volume';
  readonly volume: DataVolume;
  readonly sizeGiB: number;
}

/** Volumes below the size that the cluster was grown to, of nodes that stay: launch templates may still say less. */
export const growSmallVolumes = (
  clusterName: string,
  instances: readonly GroupInstance[],
  growth: GrowthFacts | undefined,
): readonly GrowVolume[] => {
  if (growth === undefined) return [];
  const staying = instances.filter((one) => one.groupName === groupNames.data(clusterName) && !isLeaving(one));
  const { volumes, leastGiB: sizeGiB } = growth;
  return volumes
    .filter((volume) => staying.some(({ instanceId }) => instanceId === volume.instanceId))
    .filter((volume) => volume.sizeGiB < sizeGiB && !isModified(volume))
    .map((volume) => ({ kind: 'grow-volume', volume, sizeGiB }));
};

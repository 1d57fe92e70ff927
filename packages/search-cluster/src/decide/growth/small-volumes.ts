import { groupNames } from '@drover/core/names/search-cluster';
import { type GroupInstance, isLeaving } from '../../model/lifecycle.ts';
import { type DataVolume, isModified } from '../../model/volume.ts';

export interface GrowthFacts {
  /** No data node is to have less; undefined when the volumes were never grown. */
  readonly leastGiB: number | undefined;
  /** The size that the elected master asks for; undefined when it asks for none. */
  readonly askedGiB: number | undefined;
  /** Up to where the input lets them grow by themselves. */
  readonly mostGiB: number | undefined;
  readonly volumes: readonly DataVolume[];
}

export type VolumeGrowth =
  | { readonly kind: 'note-growth'; readonly leastGiB: number }
  | { readonly kind: 'grow-volume'; readonly volume: DataVolume; readonly sizeGiB: number };

/**
 * Volumes below the size that the cluster was grown to, of nodes that stay: launch templates may still say less. What a master asks for
 * counts up to the limit of the input, which no node can change, and is noted first: from then on nodes that are launched get it, too.
 */
export function growSmallVolumes(
  clusterName: string,
  instances: readonly GroupInstance[],
  growth: GrowthFacts | undefined,
): readonly VolumeGrowth[] {
  if (growth === undefined) return [];
  const { volumes, leastGiB = 0, askedGiB = 0, mostGiB = 0 } = growth;
  const asked = Math.min(askedGiB, mostGiB);
  const sizeGiB = Math.max(leastGiB, asked);
  const staying = instances.filter((one) => one.groupName === groupNames.data(clusterName) && !isLeaving(one));
  const small = volumes
    .filter((volume) => staying.some(({ instanceId }) => instanceId === volume.instanceId))
    .filter((volume) => volume.sizeGiB < sizeGiB && !isModified(volume))
    .map((volume) => ({ kind: 'grow-volume', volume, sizeGiB }) as const);
  return asked > leastGiB ? [{ kind: 'note-growth', leastGiB: asked }, ...small] : small;
}

import { clusterSurvives, fleetSurvives, type Survival } from '@drover/core/survival';
import { Annotations, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The report of synthesis on the single losses that a construct survives. Which zone a subnet is in is known at AWS alone. */
function say(scope: Construct, lists: readonly (readonly string[])[], survival: () => Survival): void {
  // A list that is resolved at deployment has no length yet.
  if (lists.some((list) => Token.isUnresolved(list))) return;
  Annotations.of(scope).addInfo(`${survival().line} (if each subnet is in a zone of its own)`);
}

interface FleetSettings {
  readonly scalingMode: 'idle' | 'jobs';
  readonly subnetIds: readonly string[];
  readonly functionSubnetIds: readonly string[];
}

export function sayWhatFleetSurvives(scope: Construct, settings: FleetSettings): void {
  const { scalingMode: mode, subnetIds, functionSubnetIds } = settings;
  say(scope, [subnetIds, functionSubnetIds], () =>
    fleetSurvives({ mode, zones: subnetIds.length, functionZones: functionSubnetIds.length }),
  );
}

interface ClusterSettings {
  readonly subnetIds: readonly string[];
  readonly nodes: Readonly<Record<'master' | 'data', { readonly count: number; readonly volumeGiB: number }>>;
}

export function sayWhatClusterSurvives(scope: Construct, { subnetIds, nodes }: ClusterSettings): void {
  say(scope, [subnetIds], () =>
    clusterSurvives({ masters: nodes.master.count, dataNodes: nodes.data.count, zones: subnetIds.length }),
  );
  const room = Token.isUnresolved(subnetIds) ? undefined : roomForLostZone({ ...nodes.data, zones: subnetIds.length });
  if (room !== undefined) Annotations.of(scope).addInfo(room);
}

/** Low watermark, above which Elasticsearch places no more shards. */
const lowWatermark = 0.85;

/** How full the disks may be, so that what a lost zone had fits on those of the others; undefined where nothing is built again. */
export function roomForLostZone({ count, volumeGiB, zones }: { count: number; volumeGiB: number; zones: number }) {
  const lost = Math.ceil(count / zones);
  // A single survivor holds one copy of each shard already.
  if (count - lost < 2) return undefined;
  const share = (lowWatermark * (count - lost)) / count;
  const [needed, free] = [lost * share * volumeGiB, (count - lost) * (lowWatermark - share) * volumeGiB].map(
    Math.floor,
  );
  return `losing a zone needs room for ${lost} of ${count} data nodes in the other zones: there is room while the disks are at most ${Math.floor(100 * share)} % full (it needs ${needed} GiB then, ${free} are free below the low watermark); drover cluster doctor compares it with what is stored`;
}

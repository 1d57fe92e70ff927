import type { Random } from '@drover/core';
import type { ScalingMode } from '@drover/core/names/runner-fleet';
import type { ClusterInputs } from '@drover/stage/cluster-template';
import type { FleetProps } from '@drover/stage/fleet-template';

/** A fleet's inputs as they are deployed, without those that never change. */
export interface DrawnFleet extends FleetProps {
  readonly scalingMode: ScalingMode;
  readonly asgMaxSize: number;
  readonly idleRunnersTargetCount: number;
}

export interface DrawnInputs {
  readonly fleet: DrawnFleet;
  readonly cluster: ClusterInputs;
}

/** Images of the embedded cloud that runners boot from. */
const images = [undefined, 'ami-0a10000000000c221'];

/** Something, or the default: an input that is not given. */
const maybe = <Key extends string, T>(random: Random, key: Key, choices: readonly T[]): { [Name in Key]?: T } =>
  random.chance(0.5) ? {} : ({ [key]: random.pick(choices) } as { [Name in Key]?: T });

/** How instances are bought: on demand, with a warm pool, or on the spot market. A warm pool and spot exclude each other. */
function drawPurchase(random: Random): FleetProps {
  const kind = random.pick(['on-demand', 'on-demand', 'warm-pool', 'spot'] as const);
  if (kind === 'spot')
    return { warmPoolMaxSize: 0, onDemandBaseCapacity: random.int(0, 2), instanceTypes: ['t3a.medium', 't3.medium'] };
  return kind === 'warm-pool' ? { warmPoolMinSize: random.int(1, 2), warmPoolMaxSize: 6 } : { warmPoolMaxSize: 0 };
}

/** Valid inputs of both modules; about half of what has a default has it. */
export function drawInputs(random: Random, scalingMode?: ScalingMode): DrawnInputs {
  const mode = scalingMode ?? random.pick(['idle', 'jobs'] as const);
  const fleet = {
    scalingMode: mode,
    asgMinSize: mode === 'jobs' ? random.int(0, 1) : random.int(1, 2),
    asgMaxSize: random.int(5, 8),
    idleRunnersTargetCount: random.int(mode === 'jobs' ? 0 : 1, 2),
    ...maybe(random, 'allowedDrainTime', [300, 3_600, 7_200]),
    ...maybe(random, 'maxInstanceLifetimeDays', [1, 7]),
    ...drawPurchase(random),
  };
  const cluster = {
    masterCount: 3 as const,
    ...maybe(random, 'dataCount', [2, 3, 4]),
    elasticsearchVersion: '8.18.8',
  };
  return { fleet, cluster };
}

/** Other inputs of a fleet in use: one to three of them are changed. */
export function redrawFleet(random: Random, fleet: DrawnFleet): DrawnFleet {
  const least = fleet.scalingMode === 'jobs' ? 0 : 1;
  const changes: readonly (() => Partial<DrawnFleet>)[] = [
    () => ({ idleRunnersTargetCount: random.int(least, 3) }),
    () => ({ asgMaxSize: random.int(5, 9) }),
    () => ({ allowedDrainTime: random.pick([300, 900, 3_600]) }),
    () => ({ rootVolumeSize: random.int(31, 60) }),
    () => ({ extraLabels: [`team-${random.int(1, 9)}`] }),
  ];
  return Object.assign({}, fleet, ...Array.from({ length: random.int(1, 3) }, () => random.pick(changes)()));
}

/** Another image of the runners. */
export function otherImage(fleet: DrawnFleet): DrawnFleet {
  const { amiId, ...rest } = fleet;
  const next = images[(images.indexOf(amiId) + 1) % images.length];
  return next === undefined ? rest : { ...rest, amiId: next };
}

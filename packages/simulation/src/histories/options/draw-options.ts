import type { Random } from '@drover/core';
import type { ClusterInputs } from '@drover/stage/cluster-template';
import type { FleetProps } from '@drover/stage/fleet-template';
import { type DrawnTypes, drawType } from '../../scenarios/types/draw-types.ts';
import type { DrawnFleet, DrawnInputs } from '../draw-inputs.ts';

/** Names that types of these fleets may have. */
export const historyTypes = ['large', 'spot'] as const;

/** The bucket of another region that snapshots are copied to. */
export const replica = { bucket: 'search-elsewhere', region: 'eu-central-1' } as const;

/** Days between two rotations of the passwords of a cluster, the least that the input takes. */
export const rotationDays = 7;

const requirements = { vcpuCount: { min: 2, max: 2 }, memoryMib: { min: 4_096, max: 8_192 } };

/** Inputs that are off by default, each of them in about every third world. */
export const drawOptions = (random: Random, { fleet, cluster }: DrawnInputs): DrawnInputs => ({
  fleet: drawFleetOptions(random.fork('fleet'), fleet),
  cluster: drawClusterOptions(random.fork('cluster'), cluster),
});

function drawFleetOptions(random: Random, fleet: DrawnFleet): DrawnFleet {
  const bakes = random.chance(0.35) ? { bakedImage: true, imageBakeDays: 1 } : {};
  const described = random.chance(0.35);
  const ofJobs = drawJobsOptions(random, fleet);
  const drawn = { ...fleet, ...bakes, ...(fleet.scalingMode === 'jobs' ? ofJobs : {}) };
  if (fleet.instanceTypes === undefined || !described) return drawn;
  const { instanceTypes: _, ...rest } = drawn;
  return { ...rest, instanceRequirements: requirements };
}

/** Inputs that need jobs mode; a group with a fallback has no minimum of its own. */
function drawJobsOptions(random: Random, { onDemandBaseCapacity }: DrawnFleet): FleetProps {
  const spot = onDemandBaseCapacity !== undefined;
  const adaptive = random.chance(0.35) ? { adaptiveWindows: true } : {};
  const fallback = random.chance(0.65) ? { onDemandFallback: true, asgMinSize: 0 } : {};
  const rerun = random.chance(0.65) ? { rerunInterruptedJobs: true } : {};
  const types = random.chance(0.35) ? { types: drawTwoTypes(random) } : {};
  return { ...adaptive, ...types, ...(spot ? { ...fallback, ...rerun } : {}) };
}

function drawTwoTypes(random: Random): DrawnTypes {
  const names = random.chance(0.5) ? historyTypes : [random.pick(historyTypes)];
  return Object.fromEntries(names.map((name) => [name, drawHistoryType(name, random)]));
}

/** A group with a fallback, which types inherit, has no minimum of its own. */
export const drawHistoryType = (name: string, random: Random): DrawnTypes[string] => ({
  ...drawType(name, random),
  asgMinSize: 0,
});

function drawClusterOptions(random: Random, cluster: ClusterInputs): ClusterInputs {
  const growth = { separateDataVolume: true, dataVolumeMaxSize: 300, nodeGroups: { data: { maxCount: 5 } } };
  const rotation = { passwordRotationDays: rotationDays, exporterUser: 'exporter', rotateElastic: true };
  const copies = { snapshotReplicaBucket: replica.bucket, snapshotReplicaRegion: replica.region };
  return {
    ...cluster,
    ...(random.chance(0.35) ? growth : {}),
    ...(random.chance(0.35) ? rotation : {}),
    ...(random.chance(0.35) ? copies : {}),
  };
}

/** Another value of one of the inputs that are off by default; undefined: the fleet can have none of them. */
export function redrawOptions(random: Random, fleet: DrawnFleet): DrawnFleet | undefined {
  if (fleet.scalingMode !== 'jobs') return undefined;
  const spot = fleet.onDemandBaseCapacity !== undefined;
  const changes: readonly (() => Partial<DrawnFleet>)[] = [
    () => ({ adaptiveWindows: fleet.adaptiveWindows !== true }),
    ...(spot
      ? [
          () => ({ rerunInterruptedJobs: fleet.rerunInterruptedJobs !== true }),
          () => ({ onDemandFallback: fleet.onDemandFallback !== true, asgMinSize: 0 }),
        ]
      : []),
  ];
  return { ...fleet, ...random.pick(changes)() };
}

/** Without further groups, as they are taken away before the mode changes (docs/how-to/spot.md, types.md); `undefined`: it has none. */
export function withoutFurtherGroups(fleet: DrawnFleet): DrawnFleet | undefined {
  const { types, onDemandFallback, rerunInterruptedJobs } = fleet;
  if (Object.keys(types ?? {}).length === 0 && onDemandFallback !== true && rerunInterruptedJobs !== true)
    return undefined;
  return {
    ...fleet,
    ...(types === undefined ? {} : { types: {} }),
    ...(onDemandFallback === undefined ? {} : { onDemandFallback: false }),
    // No job is queued again while the mode changes: its label would be that of the mode before.
    ...(rerunInterruptedJobs === undefined ? {} : { rerunInterruptedJobs: false }),
  };
}

/** Without what needs jobs mode. */
function withoutJobsOptions(fleet: DrawnFleet): DrawnFleet {
  const { adaptiveWindows: _a, rerunInterruptedJobs: _r, onDemandFallback: _f, types: _t, ...rest } = fleet;
  return rest;
}

/** The inputs of the other mode, as its how-to has them. */
export function otherMode(fleet: DrawnFleet): DrawnFleet {
  if (fleet.scalingMode === 'idle') return { ...fleet, scalingMode: 'jobs', asgMinSize: 0 };
  return {
    ...withoutJobsOptions(fleet),
    scalingMode: 'idle',
    asgMinSize: Math.max(1, fleet.asgMinSize ?? 1),
    idleRunnersTargetCount: Math.max(1, fleet.idleRunnersTargetCount),
  };
}

import type { IdleTargetSchedule, ScalingMode } from '@drover/core/names/runner-fleet';

/** The inputs of a fleet as a configuration file has them. */
export type FleetInputs = Readonly<Record<string, unknown>>;

/** The inputs of an observed fleet; of one with types also those of each further type, as a fleet of its own would have them. */
export const inputsWithTypes = (
  fleet: ObservedFleet,
  types: Readonly<Record<string, ObservedFleet>>,
): FleetInputs & { readonly types?: Readonly<Record<string, FleetInputs>> } => ({
  ...inputsOf(fleet),
  ...(Object.keys(types).length === 0
    ? {}
    : { types: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, inputsOf(type)])) }),
});

/** A deployed fleet, as far as it decides about scaling. The group in AWS's words: a template and the API have them alike. */
export interface ObservedFleet {
  readonly group: ObservedGroup;
  readonly mode: ScalingMode;
  readonly idleTarget: number;
  readonly idleTargetSchedules: readonly IdleTargetSchedule[];
  readonly allowedDrainSeconds: number;
  /** Undefined: not known, so that the construct's default is taken. */
  readonly instanceType: string | undefined;
  readonly volumeGiB: number | undefined;
}

export interface ObservedGroup {
  readonly MinSize?: number | string | undefined;
  readonly MaxSize?: number | string | undefined;
  readonly MixedInstancesPolicy?:
    | {
        readonly InstancesDistribution?:
          | {
              readonly OnDemandBaseCapacity?: number | undefined;
              readonly OnDemandPercentageAboveBaseCapacity?: number | undefined;
            }
          | undefined;
        readonly LaunchTemplate?: { readonly Overrides?: readonly ObservedOverride[] | undefined } | undefined;
      }
    | undefined;
  readonly WarmPoolConfiguration?:
    | { readonly MinSize?: number | undefined; readonly MaxGroupPreparedCapacity?: number | undefined }
    | undefined;
}

interface ObservedOverride {
  readonly InstanceType?: string | undefined;
  readonly InstanceRequirements?: object | undefined;
}

/** The same fleet as a configuration file would have it. */
export function inputsOf(fleet: ObservedFleet): FleetInputs {
  const { group, mode, idleTarget, idleTargetSchedules: schedules } = fleet;
  return {
    scaling_mode: mode,
    asg_min_size: Number(group.MinSize),
    asg_max_size: Number(group.MaxSize),
    idle_runners_target_count: idleTarget,
    allowed_drain_time: fleet.allowedDrainSeconds,
    ...(schedules.length === 0 ? {} : { idle_target_schedules: schedules.map(asGiven) }),
    ...(fleet.volumeGiB === undefined ? {} : { root_volume_size: fleet.volumeGiB }),
    ...machines(fleet),
    ...warmPool(fleet),
  };
}

const asGiven = ({ cron, timeZone, idleRunnersTargetCount }: IdleTargetSchedule) => ({
  cron,
  time_zone: timeZone,
  idle_runners_target_count: idleRunnersTargetCount,
});

function machines({ group: { MixedInstancesPolicy: mixed }, instanceType }: ObservedFleet): FleetInputs {
  if (mixed === undefined) return instanceType === undefined ? {} : { instance_type: instanceType };
  const overrides = mixed.LaunchTemplate?.Overrides ?? [];
  const types = overrides.flatMap(({ InstanceType }) => InstanceType ?? []);
  const [requirements] = overrides.flatMap(({ InstanceRequirements }) => InstanceRequirements ?? []);
  const { OnDemandBaseCapacity: base, OnDemandPercentageAboveBaseCapacity: above } = mixed.InstancesDistribution ?? {};
  return {
    ...(types.length === 0 ? {} : { instance_types: types }),
    ...(requirements === undefined ? {} : { instance_requirements: withInputNames(requirements) }),
    ...(base === undefined ? {} : { on_demand_base_capacity: base }),
    ...(above === undefined || above === 0 ? {} : { on_demand_percentage_above_base: above }),
  };
}

/** `MemoryMiB` is `memory_mib`. */
const inputName = (member: string): string =>
  member
    .replace('VCpu', 'Vcpu')
    .replace('MiB', 'Mib')
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase();

/** Members of AWS as inputs are named. */
function withInputNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(given.map(([member, each]) => [inputName(member), withInputNames(each)]));
}

/** A pool whose least size is the default follows the idle target, so it is left out. */
function warmPool({ group: { WarmPoolConfiguration: pool, MixedInstancesPolicy: mixed }, idleTarget }: ObservedFleet) {
  if (mixed !== undefined) return {};
  if (pool === undefined) return { warm_pool_max_size: 0 };
  const { MinSize: least = 0, MaxGroupPreparedCapacity: most } = pool;
  return {
    ...(most === undefined || most < 0 ? {} : { warm_pool_max_size: most }),
    ...(least === idleTarget + 1 ? {} : { warm_pool_min_size: least }),
  };
}

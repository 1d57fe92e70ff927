import type { CfnAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import type { Contradiction, NameOf } from './check-inputs.ts';
import { memberMap, oneOf, texts, wholeNumber } from './fields.ts';
import { isArmFamily } from './shared-contradictions.ts';

/** The least, and the most if there is one. */
export interface RequiredRange {
  /** At least as many. */
  readonly min: number;
  /**
   * At most as many.
   *
   * @default no limit
   */
  readonly max?: number | undefined;
}

/** Requirements that an instance type has to meet, in the words of InstanceRequirements of EC2 Auto Scaling. */
export interface InstanceRequirements {
  /** Number of virtual processors. */
  readonly vcpuCount: RequiredRange;

  /** Memory in MiB. */
  readonly memoryMib: RequiredRange;

  /**
   * `current` and `previous` generations of instance types.
   *
   * @default both
   */
  readonly instanceGenerations?: readonly string[] | undefined;

  /**
   * Types that are not taken, e.g. `m5.8xlarge`, `c5*`, `r*`.
   *
   * @default none
   */
  readonly excludedInstanceTypes?: readonly string[] | undefined;

  /**
   * Types besides which none is taken, e.g. `m7a.*`; not with excludedInstanceTypes.
   *
   * @default all
   */
  readonly allowedInstanceTypes?: readonly string[] | undefined;

  /**
   * Whether T instances are taken.
   *
   * @default excluded
   */
  readonly burstablePerformance?: 'included' | 'excluded' | 'required' | undefined;

  /**
   * By how many per cent the spot price of a type may exceed that of the cheapest M, C or R type.
   *
   * @default what AWS chooses
   */
  readonly spotMaxPricePercentageOverLowestPrice?: number | undefined;

  /**
   * By how many per cent the on-demand price of a type may exceed that of the cheapest M, C or R type.
   *
   * @default 20
   */
  readonly onDemandMaxPricePercentageOverLowestPrice?: number | undefined;
}

const range = memberMap<RequiredRange>({
  allowed: 'a map of min and max',
  members: { min: wholeNumber(0, 100_000_000), max: wholeNumber(1, 100_000_000) },
  needs: ['min'],
  accepts: ({ min, max = min }) => min <= max,
});

/** As AWS limits them (Auto Scaling API Reference, InstanceRequirements). */
const typeNames = texts({ pattern: /^[a-zA-Z0-9.*-]{1,30}$/ }, 1);
const percentage = wholeNumber(0, 999_999);

/** The input `instance_requirements`. */
export const instanceRequirementsField = memberMap<InstanceRequirements>({
  allowed:
    'a map of vcpu_count and memory_mib (each a map of min and, if wanted, max), and, if wanted, instance_generations (a list of current, previous), excluded_instance_types or allowed_instance_types (lists of instance types, with * for any text), burstable_performance (included, excluded or required), spot_max_price_percentage_over_lowest_price, on_demand_max_price_percentage_over_lowest_price (per cent)',
  members: {
    vcpu_count: range,
    memory_mib: range,
    instance_generations: texts({ pattern: /^(current|previous)$/ }, 1),
    excluded_instance_types: typeNames,
    allowed_instance_types: typeNames,
    burstable_performance: oneOf('included', 'excluded', 'required'),
    spot_max_price_percentage_over_lowest_price: percentage,
    on_demand_max_price_percentage_over_lowest_price: percentage,
  },
  needs: ['vcpuCount', 'memoryMib'],
});

/** The requirements in the words of the template. */
export const requirementsProperty = ({ vcpuCount, memoryMib, ...others }: InstanceRequirements) =>
  ({ vCpuCount: vcpuCount, memoryMiB: memoryMib, ...others }) as CfnAutoScalingGroup.InstanceRequirementsProperty;

interface Machines {
  readonly architecture: 'x86_64' | 'arm64';
  readonly instanceRequirements?: InstanceRequirements | undefined;
}

/** AWS takes the types that have the processor of the image; with lists it could be left with none. */
export function wrongRequirements({ instanceRequirements, architecture }: Machines, name: NameOf): Contradiction {
  const key = name('instance_requirements');
  const { allowedInstanceTypes: allowed, excludedInstanceTypes: excluded } = instanceRequirements ?? {};
  if (allowed === undefined) return undefined;
  if (excluded !== undefined)
    return {
      key,
      problem: 'it has both allowed and excluded instance types, which AWS refuses',
      remedy: 'Leave one of them out',
    };
  // A family is known before its dot; `m7*` has both processors.
  const families = allowed.map((pattern) => (/^[^*]+\./.test(pattern) ? isArmFamily(pattern) : undefined));
  if (!families.every((isArm) => isArm === (architecture === 'x86_64'))) return undefined;
  return {
    key,
    problem: `none of the allowed instance types has the ${name('architecture')} ${architecture}`,
    remedy: `Allow others, or change ${name('architecture')}`,
  };
}

import type { InstanceTypeRequirements, Market } from '../../../account/neighbours.ts';
import { type Image, type InstanceType, instanceTypes } from '../catalog.ts';

/**
 * The types that meet the requirements and have the processor of the image ("Instances will be launched with a compatible CPU
 * architecture based on the Amazon Machine Image (AMI) that you specify in your launch template"), the cheapest first. Those that cost
 * too much are left out: API Reference, InstanceRequirements, price protection.
 */
export function typesMeeting(
  requirements: InstanceTypeRequirements,
  { architecture }: Pick<Image, 'architecture'>,
  market: Market,
): readonly InstanceType[] {
  const matching = [...instanceTypes.values()]
    .filter((type) => type.architecture === architecture && meets(type, requirements))
    .sort((a, b) => a.onDemandHour - b.onDemandHour);
  const [base] = [...matching.filter(({ name }) => /^[cmr]\d/.test(name)), ...matching];
  if (base === undefined) return [];
  const most = base.onDemandHour * (1 + aboveLowest(requirements, market) / 100);
  return matching.filter(({ onDemandHour }) => onDemandHour <= most);
}

/** A spot price is taken as the same share of the on-demand price for every type, so that one comparison serves both. */
const aboveLowest = (requirements: InstanceTypeRequirements, market: Market) =>
  market === 'spot'
    ? (requirements.SpotMaxPricePercentageOverLowestPrice ?? 100)
    : (requirements.OnDemandMaxPricePercentageOverLowestPrice ?? 20);

/** Every type that is known here is of the current generation, and none is bare metal. */
function meets(type: InstanceType, requirements: InstanceTypeRequirements): boolean {
  const { VCpuCount, MemoryMiB, InstanceGenerations: generations = [] } = requirements;
  const { AllowedInstanceTypes: allowed = [], ExcludedInstanceTypes: excluded = [] } = requirements;
  const burstable = requirements.BurstablePerformance ?? 'excluded';
  return (
    isWithin(type.vcpus, VCpuCount) &&
    isWithin(type.memoryMiB, MemoryMiB) &&
    (generations.length === 0 || generations.includes('current')) &&
    (burstable === 'included' || type.burstable === (burstable === 'required')) &&
    (allowed.length === 0 || allowed.some((pattern) => isLike(type.name, pattern))) &&
    !excluded.some((pattern) => isLike(type.name, pattern))
  );
}

const isWithin = (value: number, { Min = 0, Max = Number.POSITIVE_INFINITY }: Range = {}) =>
  value >= Min && value <= Max;

type Range = NonNullable<InstanceTypeRequirements['VCpuCount']>;

/** "You can use strings with one or more wild cards, represented by an asterisk (*)": `c5*` is all of C5, C5a and C5n. */
const isLike = (name: string, pattern: string) =>
  new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`).test(name);

const escaped = (text: string) => text.replaceAll(/[.]/g, '\\.');

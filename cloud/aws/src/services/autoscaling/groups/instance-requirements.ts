import type { InstanceRequirements, MixedInstancesPolicy } from '../api.ts';
import { validationError } from '../errors.ts';

const modelled: readonly string[] = [
  'VCpuCount',
  'MemoryMiB',
  'InstanceGenerations',
  'ExcludedInstanceTypes',
  'AllowedInstanceTypes',
  'BurstablePerformance',
  'SpotMaxPricePercentageOverLowestPrice',
  'OnDemandMaxPricePercentageOverLowestPrice',
] satisfies readonly (keyof InstanceRequirements)[];

/** Whether a policy describes instance types instead of naming them. */
export const hasRequirements = ({ LaunchTemplate }: MixedInstancesPolicy): boolean =>
  (LaunchTemplate?.Overrides ?? []).some(({ InstanceRequirements: requirements }) => requirements !== undefined);

/**
 * API Reference, InstanceRequirements and InstancesDistribution. The words are those that others have seen: cattle-ops/terraform-aws-gitlab-runner
 * pull request 1381 for the strategies, rules of a linter that quote the refusals for the rest.
 */
export function checkRequirements(policy: MixedInstancesPolicy): void {
  if (!hasRequirements(policy)) return;
  checkStrategies(policy);
  for (const { InstanceType, InstanceRequirements: requirements } of policy.LaunchTemplate?.Overrides ?? []) {
    if (requirements === undefined) continue;
    if (InstanceType !== undefined)
      throw validationError(
        'The parameter InstanceType cannot be used in a launch template override using instance requirements',
      );
    checkOne(requirements);
  }
}

function checkStrategies({ InstancesDistribution: distribution = {} }: MixedInstancesPolicy): void {
  if ((distribution.OnDemandAllocationStrategy ?? 'lowest-price') !== 'lowest-price')
    throw validationError(
      `The specified OnDemandAllocationStrategy is not valid. The ${distribution.OnDemandAllocationStrategy} allocation strategy is not compatible with instance requirements. Valid options are [lowest-price].`,
    );
  if (distribution.SpotAllocationStrategy === 'capacity-optimized-prioritized')
    throw validationError(
      'The capacity-optimized-prioritized allocation strategy is not compatible with instance requirements',
    );
}

function checkOne(requirements: InstanceRequirements): void {
  const unknown = Object.entries(requirements).find(([name, value]) => value !== undefined && !modelled.includes(name));
  if (unknown !== undefined)
    throw validationError(`the embedded cloud does not model the instance requirement ${unknown[0]}`);
  for (const name of ['VCpuCount', 'MemoryMiB'] as const) {
    const { Min, Max } = requirements[name] ?? {};
    if (Min === undefined) throw validationError(`InstanceRequirements is missing the ${name} parameter`);
    if (Max !== undefined && Min > Max)
      throw validationError(
        `Invalid instance requirements. The Min value (${Min}) in ${name} must be less or equal to the Max value (${Max})`,
      );
  }
  if (requirements.AllowedInstanceTypes !== undefined && requirements.ExcludedInstanceTypes !== undefined)
    throw validationError('You can specify either AllowedInstanceTypes or ExcludedInstanceTypes, but not both');
}

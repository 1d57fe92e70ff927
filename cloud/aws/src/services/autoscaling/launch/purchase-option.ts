import type { InstancesDistribution } from '../api.ts';

/**
 * How many of `capacity` instances are on-demand: the base, then a percentage of what is above it, rounded up
 * (InstancesDistribution: OnDemandBaseCapacity default 0, OnDemandPercentageAboveBaseCapacity default 100).
 */
export function onDemandTarget(distribution: InstancesDistribution, capacity: number): number {
  const base = Math.min(distribution.OnDemandBaseCapacity ?? 0, capacity);
  const percentage = distribution.OnDemandPercentageAboveBaseCapacity ?? 100;
  return base + Math.ceil(((capacity - base) * percentage) / 100);
}

import type { InstancesDistribution } from '../api.ts';

/** A subnet that a group may launch into. */
interface SubnetLoad {
  readonly subnetId: string;
  readonly zone: string;
}

/**
 * The subnet for the next launch: in the zone with the fewest instances, there the subnet with the fewest
 * ("Amazon EC2 Auto Scaling attempts to maintain equivalent numbers of instances in each enabled Availability Zone").
 * Earlier in the group's list wins a tie.
 */
export function nextSubnet(
  subnets: readonly SubnetLoad[],
  instances: readonly { readonly subnetId: string; readonly zone: string }[],
): SubnetLoad | undefined {
  const perZone = countBy(instances, (instance) => instance.zone);
  const perSubnet = countBy(instances, (instance) => instance.subnetId);
  let best: SubnetLoad | undefined;
  for (const subnet of subnets) {
    if (best === undefined || load(subnet) < load(best)) best = subnet;
  }
  return best;

  /** Zones weigh more than any number of instances in a subnet. */
  function load(subnet: SubnetLoad): number {
    return (perZone.get(subnet.zone) ?? 0) * 1_000_000 + (perSubnet.get(subnet.subnetId) ?? 0);
  }
}

/** How many items there are of each key. */
export function countBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/**
 * How many of `capacity` instances are on-demand: the base, then a percentage of what is above it, rounded up
 * (InstancesDistribution: OnDemandBaseCapacity default 0, OnDemandPercentageAboveBaseCapacity default 100).
 */
export function onDemandTarget(distribution: InstancesDistribution, capacity: number): number {
  const base = Math.min(distribution.OnDemandBaseCapacity ?? 0, capacity);
  const percentage = distribution.OnDemandPercentageAboveBaseCapacity ?? 100;
  return base + Math.ceil(((capacity - base) * percentage) / 100);
}

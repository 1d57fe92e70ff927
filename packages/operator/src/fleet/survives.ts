import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { fleetSurvives, type Survival } from '@drover/core/survival';
import type { OpenFleet } from './open-fleet.ts';

/** Which single losses a fleet survives whose group is in `zones`. A subnet of the functions is taken for a zone. */
export const survivalOf = ({ config, functionSubnets }: OpenFleet, zones: number): Survival =>
  fleetSurvives({ mode: config.scalingMode, zones, functionZones: functionSubnets });

/** The same, with the zones that the group has now. */
export async function readSurvival(fleet: OpenFleet): Promise<Survival> {
  const { AutoScalingGroups = [] } = await fleet.aws.autoscaling.send(
    new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [fleet.groupName] }),
  );
  return survivalOf(fleet, AutoScalingGroups[0]?.AvailabilityZones?.length ?? 0);
}

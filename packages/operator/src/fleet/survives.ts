import { fleetSurvives, type Survival } from '@drover/core/survival';
import { describeGroups } from '../groups.ts';
import type { OpenFleet } from './open-fleet.ts';

/** Which single losses a fleet survives whose group is in `zones`. A subnet of the functions is taken for a zone. */
export const survivalOf = ({ config, functionSubnets }: OpenFleet, zones: number): Survival =>
  fleetSurvives({ mode: config.scalingMode, zones, functionZones: functionSubnets });

/** The same, with the zones that the group has now. */
export async function readSurvival(fleet: OpenFleet): Promise<Survival> {
  const [group] = await describeGroups(fleet.aws.autoscaling, fleet.groupName);
  return survivalOf(fleet, group?.AvailabilityZones?.length ?? 0);
}

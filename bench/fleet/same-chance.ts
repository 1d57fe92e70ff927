import type { DeployedFleet } from '@drover/stage/fleet';
import { scalingTiming } from '../../cloud/aws/src/services/autoscaling/timing.ts';
import { instanceTiming } from '../../cloud/aws/src/services/ec2/instances/timing.ts';

/**
 * Fleets differ by what they do alone: how long a boot takes is drawn for the n-th launch of its type in an hour, so that one launch
 * more does not move the whole day, and what the world draws from one stream for all groups takes the middle of its range.
 */
export function sameChance(
  { world }: DeployedFleet,
  { typeOf, hourOf }: { typeOf(group: string): string; hourOf(at: number): number },
): void {
  Object.assign(instanceTiming, { pending: [16_000, 16_000], shuttingDown: [40_000, 40_000] });
  Object.assign(scalingTiming, { reaction: [3_000, 3_000], step: [1_000, 1_000] });
  const launches = new Map<string, number>();
  world.machines.seedOf = ({ tags, launchedAt }) => {
    const inHour = `${typeOf(tags['aws:autoscaling:groupName'] ?? '')} ${hourOf(launchedAt)}`;
    const nth = (launches.get(inHour) ?? 0) + 1;
    launches.set(inHour, nth);
    return `${inHour} ${nth}`;
  };
}

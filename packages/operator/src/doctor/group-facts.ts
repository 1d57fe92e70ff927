import type { Activity, AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { activitiesOf, describeGroups } from '../groups.ts';

/** How far back launches are looked at. */
const launchesMs = 3_600_000;

/** A launch that EC2 or a hook ended. */
export interface FailedLaunch {
  readonly groupName: string;
  /** Undefined if EC2 launched none. */
  readonly instanceId: string | undefined;
  readonly at: number;
  readonly zone: string;
  readonly reason: string;
}

interface Member {
  readonly id: string;
  readonly zone: string;
  readonly state: string;
  /** EC2's checks call it dead. Its group may keep it in service until it has been replaced. */
  readonly unhealthy?: boolean;
}

/** An Auto Scaling group, as far as its size is concerned. */
export interface GroupFacts {
  readonly name: string;
  readonly desired: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly zones: readonly string[];
  /** Warm pool not included. */
  readonly members: readonly Member[];
  /** Launches of the group are suspended. */
  readonly launchSuspended: boolean;
  /** Within the last hour, the newest first. */
  readonly failedLaunches: readonly FailedLaunch[];
  /** When the launches of members that are not in service began. */
  readonly launchingSince: ReadonlyMap<string, number>;
}

export async function readGroup(autoscaling: AutoScalingClient, name: string, now: number): Promise<GroupFacts> {
  const [group] = await describeGroups(autoscaling, name);
  const launches = await recentLaunches(autoscaling, name, now);
  return {
    name,
    desired: Math.max(group?.DesiredCapacity ?? 0, group?.MinSize ?? 0),
    minSize: group?.MinSize ?? 0,
    maxSize: group?.MaxSize ?? 0,
    zones: [...(group?.AvailabilityZones ?? [])].sort(),
    members: (group?.Instances ?? []).map((one) => ({
      id: one.InstanceId ?? '',
      zone: one.AvailabilityZone ?? '',
      state: one.LifecycleState ?? '',
      unhealthy: one.HealthStatus === 'Unhealthy',
    })),
    launchSuspended: (group?.SuspendedProcesses ?? []).some(({ ProcessName }) => ProcessName === 'Launch'),
    failedLaunches: launches.filter((launch) => isFailed(launch, now)).map((launch) => toFailed(name, launch)),
    launchingSince: new Map(
      launches.flatMap(({ EndTime, Description = '', StartTime }) => {
        const id = instanceIn(Description);
        return EndTime === undefined && id !== undefined ? [[id, StartTime?.getTime() ?? now] as const] : [];
      }),
    ),
  };
}

/** A group and its on-demand fallback, which have the group's limits together. */
export const withFallback = (main: GroupFacts, fallback: GroupFacts): GroupFacts => ({
  ...main,
  desired: main.desired + fallback.desired,
  members: [...main.members, ...fallback.members],
  failedLaunches: [...main.failedLaunches, ...fallback.failedLaunches].sort((a, b) => b.at - a.at),
  launchingSince: new Map([...main.launchingSince, ...fallback.launchingSince]),
});

/** Those under way come first, then the newest: after an older one that has ended none matters. */
async function recentLaunches(client: AutoScalingClient, groupName: string, now: number): Promise<readonly Activity[]> {
  const launches: Activity[] = [];
  for await (const activity of activitiesOf(client, groupName)) {
    const { StartTime, EndTime, Description = '' } = activity;
    if (EndTime !== undefined && (StartTime?.getTime() ?? 0) <= now - launchesMs) break;
    if (Description.startsWith('Launching')) launches.push(activity);
  }
  return launches;
}

const instanceIn = (description: string) => /\bi-[0-9a-f]+/.exec(description)?.[0];

/** A launch is also cancelled when its instance is terminated before it is in service: that is no failure. */
const isFailed = ({ StatusCode, StatusMessage = '', StartTime }: Activity, now: number) =>
  (StatusCode === 'Failed' || (StatusCode === 'Cancelled' && /failed to complete/i.test(StatusMessage))) &&
  (StartTime?.getTime() ?? 0) > now - launchesMs;

/** The details of an activity are JSON with the zone and the subnet. */
function toFailed(groupName: string, activity: Activity): FailedLaunch {
  const { StartTime, Description = '', Details = '{}', StatusMessage = '' } = activity;
  const { 'Availability Zone': zone = 'an unknown zone' } = JSON.parse(Details) as Record<string, string>;
  return { groupName, instanceId: instanceIn(Description), at: StartTime?.getTime() ?? 0, zone, reason: StatusMessage };
}

import type { ActivityView, GroupView, MemberView } from '@drover/cloud-world';
import type { FailedLaunch, GroupFacts } from '@drover/operator/doctor/group-facts';

const hour = 3_600_000;

/** A group as doctor reads it, from the world. */
export function groupFactsOf(group: GroupView, now: number): GroupFacts {
  const members = [...group.members.values()];
  return {
    name: group.name,
    desired: Math.max(group.desiredCapacity, group.minSize),
    minSize: group.minSize,
    maxSize: group.maxSize,
    zones: [...group.zones].sort(),
    members: members
      .filter(({ state }) => !state.startsWith('Warmed:'))
      .map(({ instanceId: id, zone, state, healthy }) => ({ id, zone, state, unhealthy: !healthy })),
    launchSuspended: group.suspended.has('Launch'),
    failedLaunches: failedLaunches(group, now),
    launchingSince: new Map(members.flatMap((member) => launchOf(member))),
  };
}

const isLaunch = ({ description }: ActivityView) => description.startsWith('Launching');

const launchOf = ({ instanceId, activity }: MemberView): (readonly [string, number])[] =>
  activity !== undefined && isLaunch(activity) && activity.endTime === undefined
    ? [[instanceId, activity.startTime]]
    : [];

/** Within an hour, the newest first. */
function failedLaunches({ name: groupName, activities }: GroupView, now: number): readonly FailedLaunch[] {
  const found: FailedLaunch[] = [];
  for (let index = activities.length - 1; index >= 0; index--) {
    const activity = activities[index]!;
    const { startTime, details, instanceId, statusMessage: reason = '' } = activity;
    if (startTime <= now - hour) break;
    if (!isLaunch(activity) || !hasFailed(activity)) continue;
    const zone = details['Availability Zone'] ?? 'an unknown zone';
    found.push({ groupName, instanceId, at: startTime, zone, reason });
  }
  return found;
}

/** A launch is also cancelled when its instance is terminated before it is in service: that is no failure. */
const hasFailed = ({ status, statusMessage = '' }: ActivityView) =>
  status === 'Failed' || (status === 'Cancelled' && /failed to complete/i.test(statusMessage));

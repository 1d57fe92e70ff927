import type { Activity } from '@aws-sdk/client-auto-scaling';
import { TerminalError } from '@drover/core/errors';
import { fallbackGroupName } from '@drover/core/names/runner-fleet';
import type { GroupHistory, TransitionTimes } from '@drover/runner-fleet';
import type { GroupMember } from '@drover/search-cluster';
import type { AwsCalls } from './calls/calls.ts';
import { explained } from './calls/errors.ts';
import { pages } from './calls/pages.ts';
import type { KnownGroups } from './group.ts';

/** Activities come newest first; one that a hook still holds open is at most 48 hours old. Pages may be partly full. */
const mostPages = 20;
const pageSize = 100;

/** When each instance began its present transition, by its scaling activity: no API shows when a hook began. */
export function transitionTimes(aws: Pick<AwsCalls, 'autoscaling'>, groups: Pick<KnownGroups, 'of'>): TransitionTimes {
  return {
    async startedAt(instanceIds) {
      const found = new Map<string, number>();
      for (const groupName of new Set(instanceIds.map((id) => groups.of(id)))) {
        const missing = new Set(instanceIds.filter((id) => groups.of(id) === groupName));
        for await (const activity of activities(aws.autoscaling, groupName)) {
          const id = instanceIn(activity.Description);
          if (id !== undefined && missing.delete(id)) found.set(id, activity.StartTime?.getTime() ?? 0);
          if (missing.size === 0) break;
        }
      }
      return found;
    },
  };
}

/** The recent activities of a runner fleet's groups; the first is the one that others stand in for. */
export function groupHistory(
  aws: Pick<AwsCalls, 'autoscaling'>,
  groupName: string,
  groups: Pick<KnownGroups, 'names'> = { names: [groupName] },
): GroupHistory {
  return {
    async instances(since) {
      const found = new Set<string>();
      for (const each of groups.names)
        for await (const { Description = '', StartTime } of activities(aws.autoscaling, each)) {
          if ((StartTime?.getTime() ?? 0) < since) break;
          const id = instanceIn(Description);
          if (id !== undefined) found.add(id);
        }
      return [...found];
    },
    launchFailedAt: () => launchFailedAt(aws, groupName),
    fallbackFailedAt: () => launchFailedAt(aws, fallbackGroupName(groupName)),
  };
}

/** EC2 has none, or the account may have no more. */
async function launchFailedAt(
  aws: Pick<AwsCalls, 'autoscaling'>,
  AutoScalingGroupName: string,
): Promise<number | undefined> {
  const { Activities = [] } = await aws.autoscaling('DescribeScalingActivities', {
    AutoScalingGroupName,
    MaxRecords: 20,
  });
  const launch = Activities.find(({ Description = '' }) => Description.startsWith('Launching'));
  const failed =
    launch?.StatusCode === 'Failed' && /capacity|limit|quota|count exceeded/i.test(launch.StatusMessage ?? '');
  return failed ? launch.StartTime?.getTime() : undefined;
}

/** When the activity began that now waits on a hook of the instance. */
export async function activityStart(aws: Pick<AwsCalls, 'autoscaling'>, member: GroupMember): Promise<number> {
  const terminating = member.lifecycleState.startsWith('Terminating');
  for await (const activity of activities(explained(aws, 'autoscaling'), member.groupName)) {
    const about = activity.Description ?? '';
    if (!about.includes(member.instanceId) || isTermination(activity) !== terminating) continue;
    if (activity.StartTime !== undefined) return activity.StartTime.getTime();
  }
  throw new TerminalError(
    `no scaling activity of ${member.groupName} mentions ${member.instanceId}, so nothing shows how long its hook may still wait`,
  );
}

/** When an instance of the group was last terminated. */
export async function lastTermination(
  aws: Pick<AwsCalls, 'autoscaling'>,
  groupName: string,
): Promise<number | undefined> {
  for await (const activity of activities(explained(aws, 'autoscaling'), groupName))
    if (isTermination(activity) && activity.EndTime !== undefined) return activity.EndTime.getTime();
  return undefined;
}

const instanceIn = (description = '') => /\bi-[0-9a-f]+/.exec(description)?.[0];

/** "Terminating EC2 instance: i-…" (Amazon EC2 Auto Scaling, "Verify a scaling activity"). */
const isTermination = (activity: Activity) => (activity.Description ?? '').startsWith('Terminating');

async function* activities(autoscaling: AwsCalls['autoscaling'], groupName: string): AsyncIterable<Activity> {
  const input = { AutoScalingGroupName: groupName, MaxRecords: pageSize };
  const ask = (next: object) => autoscaling('DescribeScalingActivities', { ...input, ...next });
  for await (const { Activities = [] } of pages(ask, mostPages)) yield* Activities;
}

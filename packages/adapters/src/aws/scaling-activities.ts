import type { Activity } from '@aws-sdk/client-auto-scaling';
import { TerminalError } from '@drover/core/errors';
import type { GroupMember } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { call } from './errors.ts';
import { autoScalingSdk } from './sdk-modules.ts';

/** Activities come newest first; one that a hook still holds open is at most 48 hours old. */
const pageLimit = 10;
const pageSize = 100;

/** When the activity began that now waits on a hook of the instance: no API tells when a hook itself began. */
export async function activityStart(aws: ClusterAws, member: GroupMember): Promise<number> {
  const terminating = member.lifecycleState.startsWith('Terminating');
  for await (const activity of activities(aws, member.groupName)) {
    const about = activity.Description ?? '';
    if (!about.includes(member.instanceId) || isTermination(activity) !== terminating) continue;
    if (activity.StartTime !== undefined) return activity.StartTime.getTime();
  }
  throw new TerminalError(
    `no scaling activity of ${member.groupName} mentions ${member.instanceId}, so nothing tells how long its hook may still wait`,
  );
}

/** When an instance of the group was last terminated. */
export async function lastTermination(aws: ClusterAws, groupName: string): Promise<number | undefined> {
  for await (const activity of activities(aws, groupName))
    if (isTermination(activity) && activity.EndTime !== undefined) return activity.EndTime.getTime();
  return undefined;
}

/** "Terminating EC2 instance: i-…" (Amazon EC2 Auto Scaling, "Verify a scaling activity"). */
const isTermination = (activity: Activity) => (activity.Description ?? '').startsWith('Terminating');

async function* activities(aws: ClusterAws, groupName: string): AsyncIterable<Activity> {
  const client = await aws.autoScaling();
  const { DescribeScalingActivitiesCommand } = await autoScalingSdk();
  let token: string | undefined;
  for (let page = 0; page < pageLimit; page++) {
    const input = {
      AutoScalingGroupName: groupName,
      MaxRecords: pageSize,
      ...(token === undefined ? {} : { NextToken: token }),
    };
    const answer = await call('autoscaling:DescribeScalingActivities', () =>
      client.send(new DescribeScalingActivitiesCommand(input)),
    );
    yield* answer.Activities ?? [];
    token = answer.NextToken;
    if (token === undefined) return;
  }
}

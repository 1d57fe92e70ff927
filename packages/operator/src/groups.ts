import {
  type Activity,
  type AutoScalingClient,
  type AutoScalingGroup,
  DescribeAutoScalingGroupsCommand,
  paginateDescribeScalingActivities,
} from '@aws-sdk/client-auto-scaling';

/** Those of these groups that exist. */
export async function describeGroups(
  client: AutoScalingClient,
  ...names: readonly string[]
): Promise<readonly AutoScalingGroup[]> {
  if (names.length === 0) return [];
  const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [...names] });
  return (await client.send(command)).AutoScalingGroups ?? [];
}

/** The activities of a group, from all pages: those under way come first, then the newest. */
export async function* activitiesOf(client: AutoScalingClient, groupName: string): AsyncGenerator<Activity> {
  const pages = paginateDescribeScalingActivities({ client }, { AutoScalingGroupName: groupName });
  for await (const { Activities = [] } of pages) yield* Activities;
}

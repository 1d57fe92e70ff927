import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import type { GroupInstance, GroupInstances, GroupMember, RetainedInstances } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { call } from './errors.ts';
import { lastTermination } from './scaling-activities.ts';
import { autoScalingSdk, ec2Sdk } from './sdk-modules.ts';

/** EC2 takes at most 200 values in a filter. */
const batchSize = 200;
const pageLimit = 20;

/** The instances of groups with their addresses. A group that does not exist has none. */
export const groupInstances = (aws: ClusterAws): GroupInstances => ({
  ofGroups: async (groupNames) => {
    const members = await membersOf(aws, groupNames);
    const known = await describe(
      aws,
      members.map(({ instanceId }) => instanceId),
    );
    return members.map((member) => withAddress(member, known.get(member.instanceId)));
  },
  lastTerminationAt: async (groupNames) => {
    const moments: number[] = [];
    for (const group of groupNames) moments.push((await lastTermination(aws, group)) ?? Number.NEGATIVE_INFINITY);
    const latest = Math.max(...moments);
    return Number.isFinite(latest) ? latest : undefined;
  },
});

function withAddress(member: GroupMember, instance: Ec2Instance | undefined): GroupInstance {
  return {
    ...member,
    privateIp: instance?.PrivateIpAddress,
    tags: Object.fromEntries((instance?.Tags ?? []).map(({ Key, Value }) => [Key!, Value ?? ''])),
  };
}

async function membersOf(aws: ClusterAws, groupNames: readonly string[]): Promise<readonly GroupMember[]> {
  const client = await aws.autoScaling();
  const { DescribeAutoScalingGroupsCommand } = await autoScalingSdk();
  const input = { AutoScalingGroupNames: [...groupNames] };
  const { AutoScalingGroups = [] } = await call('autoscaling:DescribeAutoScalingGroups', () =>
    client.send(new DescribeAutoScalingGroupsCommand(input)),
  );
  return AutoScalingGroups.flatMap((group) =>
    (group.Instances ?? []).map((instance) => ({
      instanceId: instance.InstanceId!,
      groupName: group.AutoScalingGroupName!,
      lifecycleState: instance.LifecycleState as string,
    })),
  );
}

/** By filter and not by id: an instance that has just gone would make the whole call fail. */
async function describe(aws: ClusterAws, ids: readonly string[]): Promise<Map<string, Ec2Instance>> {
  const found = new Map<string, Ec2Instance>();
  if (ids.length === 0) return found;
  const client = await aws.ec2();
  const { DescribeInstancesCommand } = await ec2Sdk();
  for (let at = 0; at < ids.length; at += batchSize) {
    const Filters = [{ Name: 'instance-id', Values: ids.slice(at, at + batchSize) }];
    let token: string | undefined;
    for (let page = 0; page < pageLimit; page++) {
      const input = { Filters, ...(token === undefined ? {} : { NextToken: token }) };
      const answer = await call('ec2:DescribeInstances', () => client.send(new DescribeInstancesCommand(input)));
      for (const { Instances = [] } of answer.Reservations ?? [])
        for (const one of Instances) found.set(one.InstanceId!, one);
      token = answer.NextToken;
      if (token === undefined) break;
    }
  }
  return found;
}

/** Ends instances that their termination hook retained; they are outside the group's capacity already. */
export const retainedInstances = (aws: ClusterAws): RetainedInstances => ({
  release: async (instanceId) => {
    const client = await aws.autoScaling();
    const { TerminateInstanceInAutoScalingGroupCommand } = await autoScalingSdk();
    const command = new TerminateInstanceInAutoScalingGroupCommand({
      InstanceId: instanceId,
      ShouldDecrementDesiredCapacity: false,
    });
    await call('autoscaling:TerminateInstanceInAutoScalingGroup', () => client.send(command));
  },
});

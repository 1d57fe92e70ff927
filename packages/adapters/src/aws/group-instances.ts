import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import type { GroupInstance, GroupMember } from '@drover/search-cluster';
import type {
  GroupInstances,
  GroupProcesses,
  InstanceRefresh,
  InstanceTags,
  RetainedInstances,
} from '@drover/search-cluster/ports';
import type { AwsCalls } from './calls/calls.ts';
import { awsCode, explained } from './calls/errors.ts';
import { lastTermination } from './scaling-activities.ts';

type Ec2 = Pick<AwsCalls, 'ec2'>;
type AutoScaling = Pick<AwsCalls, 'autoscaling'>;

/** EC2 takes at most 200 values in a filter. */
const batchSize = 200;
const mostPages = 20;

/** The instances of a search cluster's groups with their addresses. A group that does not exist has none. */
export const groupInstances = (aws: AutoScaling & Ec2): GroupInstances => ({
  ofGroups: async (groupNames) => {
    const members = await membersOf(aws, groupNames);
    const known = new Map<string, Ec2Instance>();
    // By filter and not by id: an instance that has just gone would make the whole call fail.
    for (let at = 0; at < members.length; at += batchSize) {
      const Values = members.slice(at, at + batchSize).map(({ instanceId }) => instanceId);
      for (const one of await describeInstances(aws, [{ Name: 'instance-id', Values }]))
        known.set(one.InstanceId!, one);
    }
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
    terminated: instance?.State?.Name === 'terminated',
    instanceType: instance?.InstanceType,
    tags: Object.fromEntries((instance?.Tags ?? []).map(({ Key, Value }) => [Key!, Value ?? ''])),
  };
}

/** The members of groups with their lifecycle states. */
export async function membersOf(aws: AutoScaling, groupNames: readonly string[]): Promise<readonly GroupMember[]> {
  const { AutoScalingGroups = [] } = await explained(aws, 'autoscaling')('DescribeAutoScalingGroups', {
    AutoScalingGroupNames: [...groupNames],
  });
  return AutoScalingGroups.flatMap(membersIn);
}

export const membersIn = ({ AutoScalingGroupName, Instances = [] }: AutoScalingGroup): readonly GroupMember[] =>
  Instances.map(({ InstanceId, LifecycleState, AvailabilityZone }) => ({
    instanceId: InstanceId!,
    groupName: AutoScalingGroupName!,
    lifecycleState: LifecycleState as string,
    zone: AvailabilityZone,
  }));

interface Filter {
  readonly Name: string;
  readonly Values: string[];
}

/** Every instance that passes the filters, from all pages. */
export async function describeInstances(aws: Ec2, filters: readonly Filter[]): Promise<readonly Ec2Instance[]> {
  const ec2 = explained(aws, 'ec2');
  const instances: Ec2Instance[] = [];
  let token: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const input = { Filters: [...filters], ...(token === undefined ? {} : { NextToken: token }) };
    const { Reservations = [], NextToken } = await ec2('DescribeInstances', input);
    for (const { Instances = [] } of Reservations) instances.push(...Instances);
    token = NextToken;
    if (token === undefined) break;
  }
  return instances;
}

/** Processes of groups that are suspended. A group that does not exist has none. */
export const groupProcesses = (aws: AutoScaling): GroupProcesses => ({
  suspended: async (groupNames) => {
    const { AutoScalingGroups = [] } = await explained(aws, 'autoscaling')('DescribeAutoScalingGroups', {
      AutoScalingGroupNames: [...groupNames],
    });
    return AutoScalingGroups.map(({ AutoScalingGroupName, SuspendedProcesses = [] }) => ({
      groupName: AutoScalingGroupName!,
      processes: SuspendedProcesses.map(({ ProcessName }) => ProcessName!),
    }));
  },
  suspend: async (groupName, process) => {
    const input = { AutoScalingGroupName: groupName, ScalingProcesses: [process] };
    await explained(aws, 'autoscaling')('SuspendProcesses', input);
  },
});

/** Ends instances that their termination hook retained; they are outside the group's capacity already. */
export const retainedInstances = (aws: AutoScaling): RetainedInstances => ({
  release: async (instanceId) => {
    await explained(aws, 'autoscaling')('TerminateInstanceInAutoScalingGroup', {
      InstanceId: instanceId,
      ShouldDecrementDesiredCapacity: false,
    });
  },
});

/** Cancels an instance refresh: it does not roll back, and replacements in flight end. */
export const instanceRefresh = (aws: AutoScaling): InstanceRefresh => ({
  cancel: async (groupName) => {
    try {
      await explained(aws, 'autoscaling')('CancelInstanceRefresh', { AutoScalingGroupName: groupName });
      return 'cancelled';
    } catch (error) {
      if (awsCode(error).startsWith('ActiveInstanceRefreshNotFound')) return 'none-active';
      throw error;
    }
  },
});

/** Of a tag's value. (EC2 API Reference, Tag.) */
const longestTagValue = 256;

/** Tags on an instance; what is too long for EC2 is cut. */
export const instanceTags = (aws: Ec2): InstanceTags => ({
  set: async (instanceId, tags) => {
    const Tags = Object.entries(tags).map(([Key, value]) => ({ Key, Value: value.slice(0, longestTagValue) }));
    await explained(aws, 'ec2')('CreateTags', { Resources: [instanceId], Tags });
  },
});

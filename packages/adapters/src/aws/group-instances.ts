import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { furtherGroup, nodeGroupTags, usualGroups, volumeMaxTag } from '@drover/core/names/node-groups';
import type { GroupFrame, GroupInstance, GroupMember } from '@drover/search-cluster';
import type {
  GroupInstances,
  GroupProcesses,
  InstanceRefresh,
  InstanceTags,
  RetainedInstances,
  StatusChecks,
} from '@drover/search-cluster/ports';
import { instead } from '../instead.ts';
import type { AwsCalls } from './calls/calls.ts';
import { explained, hasCode } from './calls/errors.ts';
import { pages } from './calls/pages.ts';
import { activityStart, lastTermination } from './scaling-activities.ts';

type Ec2 = Pick<AwsCalls, 'ec2'>;
type AutoScaling = Pick<AwsCalls, 'autoscaling'>;

/** EC2 takes at most 200 values in a filter. */
const batchSize = 200;
const mostPages = 20;

/** The instances of a search cluster's groups with their addresses. A group that does not exist has none. */
export const groupInstances = (aws: AutoScaling & Ec2): GroupInstances => ({
  groupsOf: async (resourceName) => {
    const Filters = [{ Name: `tag:${nodeGroupTags.of}`, Values: [resourceName] }];
    const ask = (next: object) => explained(aws, 'autoscaling')('DescribeAutoScalingGroups', { Filters, ...next });
    const groups = [...usualGroups(resourceName)];
    for await (const { AutoScalingGroups = [] } of pages(ask, mostPages))
      for (const { AutoScalingGroupName, Tags = [] } of AutoScalingGroups)
        groups.push(
          furtherGroup(AutoScalingGroupName!, Object.fromEntries(Tags.map(({ Key, Value }) => [Key!, Value ?? '']))),
        );
    return groups;
  },
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
  terminatingSince: (instance) => activityStart(aws, instance),
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

/** Those of these groups that exist. */
export async function describeGroups(aws: AutoScaling, names: readonly string[]): Promise<readonly AutoScalingGroup[]> {
  const input = { AutoScalingGroupNames: [...names] };
  return (await explained(aws, 'autoscaling')('DescribeAutoScalingGroups', input)).AutoScalingGroups ?? [];
}

/** The members of groups with their lifecycle states. */
export const membersOf = async (aws: AutoScaling, groupNames: readonly string[]): Promise<readonly GroupMember[]> =>
  (await describeGroups(aws, groupNames)).flatMap(membersIn);

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
  const instances: Ec2Instance[] = [];
  const ask = (next: object) => explained(aws, 'ec2')('DescribeInstances', { Filters: [...filters], ...next });
  for await (const { Reservations = [] } of pages(ask, mostPages))
    instances.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
  return instances;
}

/** Sizes, zones and members of groups. A group that does not exist has none. */
export const framesOf = async (aws: AutoScaling, groupNames: readonly string[]): Promise<readonly GroupFrame[]> =>
  (await describeGroups(aws, groupNames)).map((group) => {
    const volumeMax = (group.Tags ?? []).find(({ Key }) => Key === volumeMaxTag)?.Value;
    return {
      groupName: group.AutoScalingGroupName!,
      minSize: group.MinSize ?? 0,
      maxSize: group.MaxSize ?? 0,
      desired: group.DesiredCapacity ?? 0,
      zones: group.AvailabilityZones ?? [],
      members: membersIn(group),
      suspended: (group.SuspendedProcesses ?? []).flatMap(({ ProcessName }) => ProcessName ?? []),
      ...(volumeMax === undefined ? {} : { volumeMaxGiB: Number(volumeMax) }),
    };
  });

export const groupProcesses = (aws: AutoScaling): GroupProcesses => ({
  frames: (groupNames) => framesOf(aws, groupNames),
  suspend: async (groupName, process) => {
    const input = { AutoScalingGroupName: groupName, ScalingProcesses: [process] };
    await explained(aws, 'autoscaling')('SuspendProcesses', input);
  },
});

/** The check of the instance fails when its operating system does not respond, that of the system when its hardware does not. */
const impairedOnes = [{ Name: 'instance-status.status', Values: ['impaired'] }];

/** Instances of the whole region: EC2 has no filter for their ids. Those that fail are few. */
export const statusChecks = (aws: Ec2): StatusChecks => ({
  impairedSince: async () => {
    const found = new Map<string, number>();
    const ask = (next: object) => explained(aws, 'ec2')('DescribeInstanceStatus', { Filters: impairedOnes, ...next });
    for await (const { InstanceStatuses = [] } of pages(ask, mostPages))
      for (const { InstanceId, InstanceStatus } of InstanceStatuses) {
        const since = InstanceStatus?.Details?.find(({ ImpairedSince }) => ImpairedSince !== undefined)?.ImpairedSince;
        if (since !== undefined) found.set(InstanceId!, since.getTime());
      }
    return found;
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
  cancel: (groupName) =>
    explained(aws, 'autoscaling')('CancelInstanceRefresh', { AutoScalingGroupName: groupName })
      .then(() => 'cancelled' as const)
      .catch(instead(hasCode(/^ActiveInstanceRefreshNotFound/), 'none-active')),
});

/** Of a tag's value. (EC2 API Reference, Tag.) */
const longestTagValue = 256;

/** Tags on an instance; what is too long for EC2 is cut. */
export const instanceTags = (aws: Ec2): InstanceTags => ({
  read: async (instanceId, key) => {
    const Filters = [
      { Name: 'resource-id', Values: [instanceId] },
      { Name: 'key', Values: [key] },
    ];
    return (await explained(aws, 'ec2')('DescribeTags', { Filters })).Tags?.[0]?.Value;
  },
  set: async (instanceId, tags) => {
    const Tags = Object.entries(tags).map(([Key, value]) => ({ Key, Value: value.slice(0, longestTagValue) }));
    await explained(aws, 'ec2')('CreateTags', { Resources: [instanceId], Tags });
  },
});

import type { GroupSizes } from '@drover/search-cluster/ports';
import { instead } from '../instead.ts';
import type { AwsCalls } from './calls/calls.ts';
import { explained } from './calls/errors.ts';
import { isNotInGroup } from './group.ts';
import { describeGroups, membersIn } from './group-instances.ts';

/** Every state of a refresh in which it may still replace instances (Auto Scaling API, InstanceRefresh). */
const underWay = ['Pending', 'InProgress', 'Cancelling', 'RollbackInProgress', 'Baking'];

/** Sizes, zones and refreshes of a search cluster's groups. A group that does not exist has none. */
export function groupSizes(aws: Pick<AwsCalls, 'autoscaling'>): GroupSizes {
  const autoscaling = explained(aws, 'autoscaling');
  return {
    frames: async (groupNames) =>
      (await describeGroups(aws, groupNames)).map((group) => ({
        groupName: group.AutoScalingGroupName!,
        minSize: group.MinSize ?? 0,
        maxSize: group.MaxSize ?? 0,
        desired: group.DesiredCapacity ?? 0,
        zones: group.AvailabilityZones ?? [],
        members: membersIn(group),
        suspended: (group.SuspendedProcesses ?? []).flatMap(({ ProcessName }) => ProcessName ?? []),
      })),
    setDesired: async (groupName, capacity) => {
      const input = { AutoScalingGroupName: groupName, DesiredCapacity: capacity, HonorCooldown: false };
      await autoscaling('SetDesiredCapacity', input);
    },
    endInstance: async (instanceId) => {
      const input = { InstanceId: instanceId, ShouldDecrementDesiredCapacity: true };
      await autoscaling('TerminateInstanceInAutoScalingGroup', input).catch(instead(isNotInGroup, undefined));
    },
    refreshing: async (groupNames) => {
      const found: string[] = [];
      for (const AutoScalingGroupName of groupNames) {
        const { InstanceRefreshes = [] } = await autoscaling('DescribeInstanceRefreshes', {
          AutoScalingGroupName,
          MaxRecords: 1,
        });
        if (InstanceRefreshes.some(({ Status = '' }) => underWay.includes(Status))) found.push(AutoScalingGroupName);
      }
      return found;
    },
  };
}

import type { GroupSizes } from '@drover/search-cluster/ports';
import { instead } from '../instead.ts';
import type { AwsCalls } from './calls/calls.ts';
import { explained } from './calls/errors.ts';
import { isNotInGroup } from './group.ts';
import { framesOf } from './group-instances.ts';

/** Every state of a refresh in which it may still replace instances (Auto Scaling API, InstanceRefresh). */
const underWay = ['Pending', 'InProgress', 'Cancelling', 'RollbackInProgress', 'Baking'];

/** Sizes, zones and refreshes of a search cluster's groups. A group that does not exist has none. */
export function groupSizes(aws: Pick<AwsCalls, 'autoscaling'>): GroupSizes {
  const autoscaling = explained(aws, 'autoscaling');
  return {
    frames: (groupNames) => framesOf(aws, groupNames),
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

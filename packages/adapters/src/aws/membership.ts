import type { GroupMembership } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { call } from './errors.ts';
import { autoScalingSdk } from './sdk-modules.ts';

/** The instance's true state: metadata shows only where it is going. */
export const groupMembership = (aws: ClusterAws): GroupMembership => ({
  memberOf: async (instanceId) => {
    const client = await aws.autoScaling();
    const { DescribeAutoScalingInstancesCommand } = await autoScalingSdk();
    const answer = await call('autoscaling:DescribeAutoScalingInstances', () =>
      client.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [instanceId] })),
    );
    const found = answer.AutoScalingInstances?.find(({ InstanceId }) => InstanceId === instanceId);
    if (found?.AutoScalingGroupName === undefined || found.LifecycleState === undefined) return undefined;
    return { instanceId, groupName: found.AutoScalingGroupName, lifecycleState: found.LifecycleState };
  },
});

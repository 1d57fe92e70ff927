/** Everything of this SDK package that is used; a bundle that splits has it in a chunk of its own. */
import {
  AutoScalingClient,
  CancelInstanceRefreshCommand as CancelInstanceRefresh,
  CompleteLifecycleActionCommand as CompleteLifecycleAction,
  DescribeAutoScalingGroupsCommand as DescribeAutoScalingGroups,
  DescribeAutoScalingInstancesCommand as DescribeAutoScalingInstances,
  DescribeInstanceRefreshesCommand as DescribeInstanceRefreshes,
  DescribeLifecycleHooksCommand as DescribeLifecycleHooks,
  DescribeScalingActivitiesCommand as DescribeScalingActivities,
  DescribeWarmPoolCommand as DescribeWarmPool,
  RecordLifecycleActionHeartbeatCommand as RecordLifecycleActionHeartbeat,
  SetDesiredCapacityCommand as SetDesiredCapacity,
  SetInstanceHealthCommand as SetInstanceHealth,
  SetInstanceProtectionCommand as SetInstanceProtection,
  SuspendProcessesCommand as SuspendProcesses,
  TerminateInstanceInAutoScalingGroupCommand as TerminateInstanceInAutoScalingGroup,
} from '@aws-sdk/client-auto-scaling';

export { AutoScalingClient as Client };
export const commands = {
  CancelInstanceRefresh,
  CompleteLifecycleAction,
  DescribeAutoScalingGroups,
  DescribeAutoScalingInstances,
  DescribeInstanceRefreshes,
  DescribeLifecycleHooks,
  DescribeScalingActivities,
  DescribeWarmPool,
  RecordLifecycleActionHeartbeat,
  SetDesiredCapacity,
  SetInstanceHealth,
  SetInstanceProtection,
  SuspendProcesses,
  TerminateInstanceInAutoScalingGroup,
};

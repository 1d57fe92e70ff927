/** Everything of this SDK package that is used; a bundle that splits has it in a chunk of its own. */
import * as sdk from '@aws-sdk/client-auto-scaling';

export const Client = sdk.AutoScalingClient;
export const commands = {
  CancelInstanceRefresh: sdk.CancelInstanceRefreshCommand,
  CompleteLifecycleAction: sdk.CompleteLifecycleActionCommand,
  DescribeAutoScalingGroups: sdk.DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstances: sdk.DescribeAutoScalingInstancesCommand,
  DescribeInstanceRefreshes: sdk.DescribeInstanceRefreshesCommand,
  DescribeLifecycleHooks: sdk.DescribeLifecycleHooksCommand,
  DescribeScalingActivities: sdk.DescribeScalingActivitiesCommand,
  DescribeWarmPool: sdk.DescribeWarmPoolCommand,
  RecordLifecycleActionHeartbeat: sdk.RecordLifecycleActionHeartbeatCommand,
  SetDesiredCapacity: sdk.SetDesiredCapacityCommand,
  SetInstanceHealth: sdk.SetInstanceHealthCommand,
  SetInstanceProtection: sdk.SetInstanceProtectionCommand,
  SuspendProcesses: sdk.SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroup: sdk.TerminateInstanceInAutoScalingGroupCommand,
};

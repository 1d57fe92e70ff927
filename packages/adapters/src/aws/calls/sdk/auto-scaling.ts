/** Everything of this SDK package that we use; one chunk of its own in the bundle. */
export {
  AutoScalingClient,
  CancelInstanceRefreshCommand,
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeLifecycleHooksCommand,
  DescribeScalingActivitiesCommand,
  RecordLifecycleActionHeartbeatCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';

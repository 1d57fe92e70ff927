import type { AutoScalingOperations } from '../calls.ts';
import { queryProtocol } from './protocols.ts';
import { listOf, members } from './read-xml.ts';
import type { SignedService } from './signed-calls.ts';

const template = members({ LaunchTemplateId: 'text', Version: 'text' });

const instances = listOf(
  members({
    InstanceId: 'text',
    AvailabilityZone: 'text',
    LifecycleState: 'text',
    HealthStatus: 'text',
    ProtectedFromScaleIn: 'boolean',
    LaunchTemplate: template,
  }),
);

const groups = listOf(
  members({
    AutoScalingGroupName: 'text',
    MinSize: 'number',
    MaxSize: 'number',
    DesiredCapacity: 'number',
    Instances: instances,
    LaunchTemplate: template,
    MixedInstancesPolicy: members({ LaunchTemplate: members({ LaunchTemplateSpecification: template }) }),
    WarmPoolConfiguration: members({}),
    TargetGroupARNs: listOf('text'),
    SuspendedProcesses: listOf(members({ ProcessName: 'text' })),
    Tags: listOf(members({ Key: 'text', Value: 'text', PropagateAtLaunch: 'boolean' })),
    VPCZoneIdentifier: 'text',
  }),
);

const activities = listOf(
  members({ Description: 'text', StatusCode: 'text', StatusMessage: 'text', StartTime: 'time', EndTime: 'time' }),
);

const member = members({ InstanceId: 'text', AutoScalingGroupName: 'text', LifecycleState: 'text' });

const hooks = listOf(members({ LifecycleHookName: 'text', HeartbeatTimeout: 'number', GlobalTimeout: 'number' }));

/** Amazon EC2 Auto Scaling. */
export const autoScaling: SignedService<AutoScalingOperations> = {
  name: 'autoscaling',
  protocol: queryProtocol('2011-01-01'),
  operations: {
    DescribeAutoScalingGroups: { output: members({ AutoScalingGroups: groups, NextToken: 'text' }) },
    DescribeAutoScalingInstances: {
      output: members({ AutoScalingInstances: listOf(member), NextToken: 'text' }),
    },
    DescribeInstanceRefreshes: { output: members({ InstanceRefreshes: listOf(members({ Status: 'text' })) }) },
    DescribeLifecycleHooks: { output: members({ LifecycleHooks: hooks }) },
    DescribeWarmPool: { output: members({ Instances: instances, NextToken: 'text' }) },
    DescribeScalingActivities: { output: members({ Activities: activities, NextToken: 'text' }) },
    CancelInstanceRefresh: {},
    CompleteLifecycleAction: {},
    RecordLifecycleActionHeartbeat: {},
    SetDesiredCapacity: {},
    SetInstanceHealth: {},
    SetInstanceProtection: {},
    SuspendProcesses: {},
    TerminateInstanceInAutoScalingGroup: {},
  },
};

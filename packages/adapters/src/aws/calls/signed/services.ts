/** Stands for `@aws-sdk/client-auto-scaling` in the functions' bundles. */
import { client, command } from './client.ts';
import { queryProtocol } from './protocols.ts';
import { listOf, members } from './shape.ts';

const template = members({ Version: 'text' });

const instances = listOf(
  members({
    InstanceId: 'text',
    LifecycleState: 'text',
    HealthStatus: 'text',
    ProtectedFromScaleIn: 'truth',
    LaunchTemplate: template,
  }),
);

const groups = listOf(
  members({
    MinSize: 'number',
    MaxSize: 'number',
    DesiredCapacity: 'number',
    Instances: instances,
    LaunchTemplate: template,
    MixedInstancesPolicy: members({ LaunchTemplate: members({ LaunchTemplateSpecification: template }) }),
    WarmPoolConfiguration: members({}),
  }),
);

const activities = listOf(members({ Description: 'text', StartTime: 'time' }));

export const AutoScalingClient = client({ name: 'autoscaling', protocol: queryProtocol('2011-01-01') });
export const DescribeAutoScalingGroupsCommand = command('DescribeAutoScalingGroups', {
  output: members({ AutoScalingGroups: groups, NextToken: 'text' }),
});
export const DescribeWarmPoolCommand = command('DescribeWarmPool', {
  output: members({ Instances: instances, NextToken: 'text' }),
});
export const DescribeScalingActivitiesCommand = command('DescribeScalingActivities', {
  output: members({ Activities: activities, NextToken: 'text' }),
});
export const CompleteLifecycleActionCommand = command('CompleteLifecycleAction');
export const RecordLifecycleActionHeartbeatCommand = command('RecordLifecycleActionHeartbeat');
export const SetInstanceHealthCommand = command('SetInstanceHealth');
export const SetInstanceProtectionCommand = command('SetInstanceProtection');

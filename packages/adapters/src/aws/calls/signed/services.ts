import type {
  AutoScalingOperations,
  CloudFormationOperations,
  CloudWatchOperations,
  Ec2Operations,
  EcsOperations,
  LoadBalancingOperations,
  LogsOperations,
  S3Operations,
  SecretsManagerOperations,
  SsmOperations,
} from '../calls.ts';
import { ec2Protocol, jsonProtocol, objectProtocol, queryProtocol } from './protocols.ts';
import { listOf, members, type Shape } from './read-xml.ts';
import type { SignedService } from './signed-calls.ts';

const template = members({ Version: 'text' });

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
    Tags: listOf(members({ Key: 'text', Value: 'text' })),
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

/** AWS CloudFormation. */
export const cloudFormation: SignedService<CloudFormationOperations> = {
  name: 'cloudformation',
  protocol: queryProtocol('2010-05-15'),
  operations: { DescribeStacks: { output: members({ Stacks: listOf(members({ StackStatus: 'text' })) }) } },
};

/** Amazon CloudWatch. */
export const cloudWatch: SignedService<CloudWatchOperations> = {
  name: 'monitoring',
  protocol: jsonProtocol('GraniteServiceVersion20100801', '1.0'),
  operations: { PutMetricData: {} },
};

/** Elements of EC2's responses are named as in the output, but with a small first letter; lists have names of their own. */
const ec2Members = (shapes: Readonly<Record<string, Shape>>, lists: Readonly<Record<string, string>> = {}) => {
  const element = (name: string) => lists[name] ?? `${name[0]!.toLowerCase()}${name.slice(1)}`;
  const entries = Object.entries(shapes);
  return members(
    Object.fromEntries(entries.map(([name, shape]) => [element(name), shape])),
    Object.fromEntries(entries.map(([name]) => [element(name), name])),
  );
};
const items = (shape: Shape) => listOf(shape, 'item');

const instance = ec2Members(
  {
    InstanceId: 'text',
    ImageId: 'text',
    InstanceType: 'text',
    PrivateIpAddress: 'text',
    PrivateDnsName: 'text',
    State: ec2Members({ Name: 'text' }),
    Tags: items(ec2Members({ Key: 'text', Value: 'text' })),
  },
  { State: 'instanceState', Tags: 'tagSet' },
);
const reservation = ec2Members({ Instances: items(instance) }, { Instances: 'instancesSet' });

const volume = ec2Members(
  { VolumeId: 'text', Size: 'number', Attachments: items(ec2Members({ InstanceId: 'text' })) },
  { Attachments: 'attachmentSet' },
);
const modification = ec2Members({
  VolumeId: 'text',
  ModificationState: 'text',
  TargetSize: 'number',
  Progress: 'number',
  StartTime: 'time',
});

/** Amazon EC2. */
export const ec2: SignedService<Ec2Operations> = {
  name: 'ec2',
  protocol: ec2Protocol('2016-11-15', { Filters: 'Filter', Values: 'Value', Resources: 'ResourceId', Tags: 'Tag' }),
  operations: {
    CreateTags: {},
    DescribeInstances: {
      output: ec2Members({ Reservations: items(reservation), NextToken: 'text' }, { Reservations: 'reservationSet' }),
    },
    DescribeTags: {
      output: ec2Members(
        { Tags: items(ec2Members({ ResourceId: 'text', Key: 'text', Value: 'text' })), NextToken: 'text' },
        { Tags: 'tagSet' },
      ),
    },
    DescribeVolumes: {
      output: ec2Members({ Volumes: items(volume), NextToken: 'text' }, { Volumes: 'volumeSet' }),
    },
    DescribeVolumesModifications: {
      output: ec2Members(
        { VolumesModifications: items(modification), NextToken: 'text' },
        { VolumesModifications: 'volumeModificationSet' },
      ),
    },
    ModifyVolume: {},
  },
};

/** Amazon ECS. */
export const ecs: SignedService<EcsOperations> = {
  name: 'ecs',
  protocol: jsonProtocol('AmazonEC2ContainerServiceV20141113', '1.1'),
  operations: { DescribeServices: {}, UpdateService: {} },
};

const target = members({ Target: members({ Id: 'text' }), TargetHealth: members({ State: 'text' }) });

/** Elastic Load Balancing. */
export const elasticLoadBalancing: SignedService<LoadBalancingOperations> = {
  name: 'elasticloadbalancing',
  protocol: queryProtocol('2015-12-01'),
  operations: {
    DescribeTargetHealth: { output: members({ TargetHealthDescriptions: listOf(target) }) },
    RegisterTargets: {},
    DeregisterTargets: {},
  },
};

/** Amazon CloudWatch Logs. */
export const logs: SignedService<LogsOperations> = {
  name: 'logs',
  protocol: jsonProtocol('Logs_20140328', '1.1'),
  operations: { CreateLogStream: {}, PutLogEvents: {} },
};

/** Amazon S3. A second attempt of a write with a condition would fail on what the first one wrote. */
export const s3: SignedService<S3Operations> = {
  name: 's3',
  protocol: objectProtocol,
  operations: { CopyObject: {}, DeleteObject: {}, GetObject: {}, PutObject: { once: true } },
};

/** AWS Secrets Manager. */
export const secretsManager: SignedService<SecretsManagerOperations> = {
  name: 'secretsmanager',
  protocol: jsonProtocol('secretsmanager', '1.1'),
  operations: {
    CreateSecret: { token: true },
    PutSecretValue: { token: true },
    DeleteSecret: {},
    DescribeSecret: {},
    GetSecretValue: {},
    ListSecrets: {},
    TagResource: {},
    UpdateSecretVersionStage: {},
  },
};

/** AWS Systems Manager. */
export const ssm: SignedService<SsmOperations> = {
  name: 'ssm',
  protocol: jsonProtocol('AmazonSSM', '1.1'),
  operations: { GetParameter: {}, SendCommand: {}, ListCommandInvocations: {} },
};

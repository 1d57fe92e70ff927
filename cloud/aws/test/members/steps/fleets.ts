import type { Seen, Step } from '../play.ts';

const data = { ImageId: 'ami-0a10000000000a201', InstanceType: 't3.micro' };
const tags = [{ Key: 'a', Value: 'b' }];
const filters = (Name: string, ...Values: string[]) => [{ Name, Values }];
const DryRun = true;

/** Each page of one, the next page, a dry run, and the given requests. */
const reading = (operation: string, inputs: readonly object[], page: object = { MaxResults: 5 }): Step[] => {
  const [, name = ''] = operation.split(':');
  return [
    ...inputs.map((input): Step => [operation, { ...input }]),
    [operation, { ...page }],
    [operation, (seen) => ({ NextToken: seen[name].NextToken ?? 'nonsense' })],
    [operation, { DryRun }],
  ];
};

const endpoint = {
  Type: 'AWS::EC2::VPCEndpoint',
  Properties: { VpcId: { Ref: 'V' }, ServiceName: 'com.amazonaws.eu-west-1.s3' },
};

/** More subnets and route tables than a page has at least. */
const network = JSON.stringify({
  Resources: Object.fromEntries([
    ['V', { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } }],
    ...[1, 2, 3, 4, 5, 6].flatMap((n) => [
      [`S${n}`, { Type: 'AWS::EC2::Subnet', Properties: { VpcId: { Ref: 'V' }, CidrBlock: `10.0.${n}.0/24` } }],
      [`R${n}`, { Type: 'AWS::EC2::RouteTable', Properties: { VpcId: { Ref: 'V' } } }],
      ...(n < 3 ? [[`E${n}`, endpoint]] : []),
    ]),
  ]),
});

export const templates: readonly Step[] = [
  ['ec2:CreateLaunchTemplate', { LaunchTemplateName: 'dry', LaunchTemplateData: data, DryRun }],
  [
    'ec2:CreateLaunchTemplate',
    {
      LaunchTemplateName: 'launch',
      LaunchTemplateData: data,
      VersionDescription: 'one',
      TagSpecifications: [{ ResourceType: 'launch-template', Tags: tags }],
    },
  ],
  ['ec2:CreateLaunchTemplate', { LaunchTemplateName: 'token', LaunchTemplateData: data, ClientToken: 't' }],
  ['ec2:CreateLaunchTemplate', { LaunchTemplateName: 'token', LaunchTemplateData: data, ClientToken: 't' }],
  [
    'ec2:CreateLaunchTemplateVersion',
    {
      LaunchTemplateName: 'launch',
      LaunchTemplateData: { InstanceType: 't3.small' },
      SourceVersion: '1',
      VersionDescription: 'two',
    },
  ],
  ['ec2:CreateLaunchTemplateVersion', { LaunchTemplateName: 'launch', LaunchTemplateData: data, ClientToken: 'v' }],
  ['ec2:CreateLaunchTemplateVersion', { LaunchTemplateName: 'launch', LaunchTemplateData: data, ClientToken: 'v' }],
  ['ec2:CreateLaunchTemplateVersion', { LaunchTemplateName: 'launch', LaunchTemplateData: data, DryRun }],
  [
    'ec2:CreateLaunchTemplateVersion',
    ({ CreateLaunchTemplate }) => ({
      LaunchTemplateId: CreateLaunchTemplate.LaunchTemplate.LaunchTemplateId,
      LaunchTemplateData: data,
    }),
  ],
  ...reading(
    'ec2:DescribeLaunchTemplates',
    [{ LaunchTemplateNames: ['launch'] }, { Filters: filters('launch-template-name', 'launch') }, { MaxResults: 1 }],
    { MaxResults: 1 },
  ),
  [
    'ec2:DescribeLaunchTemplates',
    ({ CreateLaunchTemplate }) => ({ LaunchTemplateIds: [CreateLaunchTemplate.LaunchTemplate.LaunchTemplateId] }),
  ],
  ['ec2:DeleteLaunchTemplate', { LaunchTemplateName: 'launch', DryRun }],
  ['ec2:DeleteLaunchTemplate', { LaunchTemplateName: 'launch' }],
  [
    'ec2:DeleteLaunchTemplate',
    ({ CreateLaunchTemplate }) => ({ LaunchTemplateId: CreateLaunchTemplate.LaunchTemplate.LaunchTemplateId }),
  ],
  ['cloudformation:CreateStack', { StackName: 'network', TemplateBody: network }],
  60_000,
  ...reading('ec2:DescribeSubnets', [{ Filters: filters('availability-zone', 'eu-west-1a') }]),
  ['ec2:DescribeSubnets', {}],
  ['ec2:DescribeSubnets', ({ DescribeSubnets }) => ({ SubnetIds: [DescribeSubnets.Subnets[0].SubnetId] })],
  ...reading('ec2:DescribeRouteTables', [{ Filters: filters('vpc-id', 'vpc-none') }]),
  ['ec2:DescribeRouteTables', { RouteTableIds: ['rtb-00000000000000000'] }],
  ...reading('ec2:DescribeVpcEndpoints', [{ Filters: filters('vpc-id', 'vpc-none') }], { MaxResults: 1 }),
  ['ec2:DescribeVpcEndpoints', { VpcEndpointIds: ['vpce-00000000000000000'] }],
];

const group = { AutoScalingGroupName: 'g' };
const template = { LaunchTemplateName: 'launch', Version: '1' };
const launch: Step = ['ec2:CreateLaunchTemplate', { LaunchTemplateName: 'launch', LaunchTemplateData: data }];
const zones = { AvailabilityZones: ['eu-west-1a'] };
const size = { MinSize: 0, MaxSize: 4 };
const create = (more: object): Step => [
  'autoscaling:CreateAutoScalingGroup',
  { ...group, ...size, ...zones, LaunchTemplate: template, ...more },
];
const describe: Step = ['autoscaling:DescribeAutoScalingGroups', {}];
const activities: Step = ['autoscaling:DescribeScalingActivities', {}];
const settings = {
  CapacityRebalance: true,
  Context: 'c',
  DefaultCooldown: 10,
  DefaultInstanceWarmup: 20,
  DesiredCapacityType: 'units',
  HealthCheckGracePeriod: 30,
  HealthCheckType: 'ELB',
  InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } },
  InstanceMaintenancePolicy: { MinHealthyPercentage: 100, MaxHealthyPercentage: 110 },
  MaxInstanceLifetime: 86_400,
  NewInstancesProtectedFromScaleIn: true,
  ServiceLinkedRoleARN: 'arn:aws:iam::123456789012:role/aws-service-role/autoscaling.amazonaws.com/x',
  TerminationPolicies: ['OldestInstance'],
};
const mixed = {
  LaunchTemplate: { LaunchTemplateSpecification: template, Overrides: [{ InstanceType: 't3.small' }] },
  InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 0 },
};
const hook = { LifecycleHookName: 'h', LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING' };

export const groups: readonly Step[] = [
  launch,
  ['ec2:DescribeSubnets', {}],
  create({
    ...settings,
    DesiredCapacity: 1,
    Tags: tags,
    TargetGroupARNs: ['arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/none/0'],
    LifecycleHookSpecificationList: [{ ...hook, LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' }],
  }),
  create({ ...settings, DesiredCapacity: 1, Tags: tags, LifecycleHookSpecificationList: [hook] }),
  describe,
  [
    'autoscaling:CreateAutoScalingGroup',
    ({ DescribeSubnets }) => ({
      AutoScalingGroupName: 'subnet',
      ...size,
      VPCZoneIdentifier: DescribeSubnets.Subnets[0].SubnetId,
      MixedInstancesPolicy: mixed,
    }),
  ],
  ['autoscaling:DescribeLifecycleHooks', group],
  ['autoscaling:DescribeLifecycleHooks', { ...group, LifecycleHookNames: ['none'] }],
  ['autoscaling:DescribeAutoScalingGroups', { AutoScalingGroupNames: ['g'] }],
  ['autoscaling:DescribeAutoScalingGroups', { Filters: filters('tag-key', 'a') }],
  ['autoscaling:DescribeAutoScalingGroups', { MaxRecords: 1 }],
  ['autoscaling:DescribeAutoScalingGroups', (seen) => ({ NextToken: seen.DescribeAutoScalingGroups.NextToken })],
  60_000,
  ['autoscaling:DescribeAutoScalingGroups', { IncludeInstances: false }],
  create({ AutoScalingGroupName: 'plain', DesiredCapacity: 1 }),
  [
    'autoscaling:UpdateAutoScalingGroup',
    {
      ...settings,
      AutoScalingGroupName: 'plain',
      MinSize: 1,
      MaxSize: 3,
      DesiredCapacity: 2,
      AvailabilityZones: ['eu-west-1b'],
    },
  ],
  describe,
  ['autoscaling:UpdateAutoScalingGroup', { AutoScalingGroupName: 'plain', MixedInstancesPolicy: mixed }],
  describe,
  ['ec2:CreateLaunchTemplateVersion', { LaunchTemplateName: 'launch', LaunchTemplateData: data }],
  [
    'autoscaling:UpdateAutoScalingGroup',
    { AutoScalingGroupName: 'plain', LaunchTemplate: { ...template, Version: '2' } },
  ],
  [
    'autoscaling:UpdateAutoScalingGroup',
    ({ DescribeSubnets }) => ({
      AutoScalingGroupName: 'plain',
      VPCZoneIdentifier: DescribeSubnets.Subnets[2].SubnetId,
    }),
  ],
  describe,
  create({ AutoScalingGroupName: 'force', DesiredCapacity: 1 }),
  60_000,
  ['autoscaling:DeleteAutoScalingGroup', { AutoScalingGroupName: 'force', ForceDelete: true }],
];

const first = ({ DescribeAutoScalingInstances: seen }: Seen): { InstanceId: string } => ({
  InstanceId: seen.AutoScalingInstances[0].InstanceId,
});
const instances: Step = ['autoscaling:DescribeAutoScalingInstances', {}];
const scale = (DesiredCapacity: number, more: object = {}): Step => [
  'autoscaling:SetDesiredCapacity',
  { ...group, DesiredCapacity, ...more },
];
const policy = (more: object): Step => ['autoscaling:PutScalingPolicy', { ...group, PolicyName: 'p', ...more }];
const execute = (more: object = {}): Step => ['autoscaling:ExecutePolicy', { ...group, PolicyName: 'p', ...more }];
const token = '00000000-0000-4000-8000-000000000000';
const simple = { AdjustmentType: 'PercentChangeInCapacity', ScalingAdjustment: 50 };
const step = {
  AdjustmentType: 'PercentChangeInCapacity',
  PolicyType: 'StepScaling',
  StepAdjustments: [
    { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 10, ScalingAdjustment: 10 },
    { MetricIntervalLowerBound: 10, ScalingAdjustment: 90 },
  ],
};

/** Hooks, protection, health and the ways to change a group's size. */
export const members: readonly Step[] = [
  launch,
  create({ DesiredCapacity: 2, HealthCheckGracePeriod: 900, DefaultCooldown: 600 }),
  60_000,
  instances,
  ['autoscaling:DescribeAutoScalingInstances', (seen) => ({ InstanceIds: [first(seen).InstanceId] })],
  ['autoscaling:DescribeAutoScalingInstances', { MaxRecords: 1 }],
  ['autoscaling:DescribeAutoScalingInstances', (seen) => ({ NextToken: seen.DescribeAutoScalingInstances.NextToken })],
  activities,
  [
    'autoscaling:DescribeScalingActivities',
    ({ DescribeScalingActivities: { Activities } }) => ({ ActivityIds: [Activities[0].ActivityId] }),
  ],
  ['autoscaling:DescribeScalingActivities', { AutoScalingGroupName: 'none' }],
  ['autoscaling:DescribeScalingActivities', { MaxRecords: 1 }],
  ['autoscaling:DescribeScalingActivities', (seen) => ({ NextToken: seen.DescribeScalingActivities.NextToken })],
  instances,
  [
    'autoscaling:SetInstanceProtection',
    (seen) => ({ ...group, InstanceIds: [first(seen).InstanceId], ProtectedFromScaleIn: true }),
  ],
  instances,
  [
    'autoscaling:SetInstanceProtection',
    (seen) => ({ ...group, InstanceIds: [first(seen).InstanceId], ProtectedFromScaleIn: false }),
  ],
  [
    'autoscaling:SetInstanceHealth',
    (seen) => ({ ...first(seen), HealthStatus: 'Unhealthy', ShouldRespectGracePeriod: false }),
  ],
  instances,
  [
    'autoscaling:PutLifecycleHook',
    { ...group, ...hook, DefaultResult: 'CONTINUE', HeartbeatTimeout: 120, NotificationMetadata: 'n' },
  ],
  ['autoscaling:DescribeLifecycleHooks', group],
  60_000,
  instances,
  [
    'autoscaling:TerminateInstanceInAutoScalingGroup',
    (seen) => ({ ...first(seen), ShouldDecrementDesiredCapacity: true }),
  ],
  5_000,
  describe,
  [
    'autoscaling:RecordLifecycleActionHeartbeat',
    (seen) => ({ ...group, ...first(seen), LifecycleHookName: 'h', LifecycleActionToken: token }),
  ],
  [
    'autoscaling:CompleteLifecycleAction',
    (seen) => ({
      ...group,
      ...first(seen),
      LifecycleHookName: 'h',
      LifecycleActionResult: 'ABANDON',
      LifecycleActionToken: token,
    }),
  ],
  ['autoscaling:RecordLifecycleActionHeartbeat', (seen) => ({ ...group, ...first(seen), LifecycleHookName: 'h' })],
  [
    'autoscaling:CompleteLifecycleAction',
    (seen) => ({ ...group, ...first(seen), LifecycleHookName: 'h', LifecycleActionResult: 'ABANDON' }),
  ],
  execute({ HonorCooldown: true }),
  120_000,
  policy({ ...simple, Cooldown: 1 }),
  execute(),
  120_000,
  execute({ HonorCooldown: true }),
  scale(1),
  120_000,
  policy({ ...simple, MinAdjustmentMagnitude: 3 }),
  execute(),
  describe,
  120_000,
  execute({ HonorCooldown: true }),
  scale(1),
  120_000,
  policy({ ...simple, MinAdjustmentStep: 2 }),
  execute(),
  describe,
  120_000,
  scale(2, { HonorCooldown: true }),
  describe,
  ['autoscaling:SuspendProcesses', { ...group, ScalingProcesses: ['Launch', 'Terminate'] }],
  describe,
  ['autoscaling:ResumeProcesses', { ...group, ScalingProcesses: ['Launch'] }],
  describe,
];

const breach = execute({ MetricValue: 20, BreachThreshold: 5 });

/** Steps, and an alarm that runs a policy. */
export const policies: readonly Step[] = [
  launch,
  create({ DesiredCapacity: 2, MaxSize: 20 }),
  60_000,
  policy({ ...simple, Enabled: false }),
  [
    'monitoring:PutMetricAlarm',
    ({ PutScalingPolicy }) => ({
      AlarmName: 'a',
      Namespace: 'n',
      MetricName: 'm',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
      AlarmActions: [PutScalingPolicy.PolicyARN],
    }),
  ],
  600_000,
  describe,
  policy({ ...step, EstimatedInstanceWarmup: 1 }),
  breach,
  60_000,
  breach,
  describe,
];

const refresh = (more: object): Step => ['autoscaling:StartInstanceRefresh', { ...group, ...more }];
const pool: Step = ['autoscaling:DescribeWarmPool', group];

/** Replacing instances, and keeping some warm. */
export const refreshes: readonly Step[] = [
  launch,
  create({ DesiredCapacity: 1 }),
  60_000,
  refresh({
    DesiredConfiguration: { LaunchTemplate: template },
    Preferences: { SkipMatching: true },
    Strategy: 'Rolling',
  }),
  60_000,
  ['autoscaling:DescribeInstanceRefreshes', group],
  refresh({ Preferences: { MinHealthyPercentage: 0 } }),
  ['autoscaling:CancelInstanceRefresh', { ...group, WaitForTransitioningInstances: false }],
  ['autoscaling:DescribeInstanceRefreshes', { ...group, MaxRecords: 1 }],
  [
    'autoscaling:DescribeInstanceRefreshes',
    (seen) => ({ ...group, NextToken: seen.DescribeInstanceRefreshes.NextToken }),
  ],
  600_000,
  refresh({ Strategy: 'ReplaceRootVolume' }),
  ['ec2:CreateLaunchTemplateVersion', { LaunchTemplateName: 'launch', LaunchTemplateData: data }],
  refresh({ DesiredConfiguration: { LaunchTemplate: { ...template, Version: '2' } } }),
  [
    'autoscaling:DescribeInstanceRefreshes',
    ({ StartInstanceRefresh }) => ({ ...group, InstanceRefreshIds: [StartInstanceRefresh.InstanceRefreshId] }),
  ],
  600_000,
  describe,
  [
    'autoscaling:PutWarmPool',
    {
      ...group,
      MinSize: 2,
      MaxGroupPreparedCapacity: 3,
      PoolState: 'Running',
      InstanceReusePolicy: { ReuseOnScaleIn: true },
    },
  ],
  120_000,
  pool,
  ['autoscaling:DescribeWarmPool', { ...group, MaxRecords: 1 }],
  ['autoscaling:DescribeWarmPool', (seen) => ({ ...group, NextToken: seen.DescribeWarmPool.NextToken })],
  ['autoscaling:DeleteWarmPool', { ...group, ForceDelete: true }],
  5_000,
  pool,
];

/** Machines: tags, remote commands and their end. */
export const machines: readonly Step[] = [
  launch,
  create({ DesiredCapacity: 6, MaxSize: 6 }),
  60_000,
  instances,
  ({ aws }) => {
    for (const id of aws.ec2.instances.keys())
      aws.ssm.registerAgent(id, { alive: () => true, run: async () => ({ exitCode: 0, stdout: 'out', stderr: '' }) });
  },
  ['ec2:CreateTags', (seen) => ({ Resources: [first(seen).InstanceId], Tags: tags })],
  ['ec2:CreateTags', (seen) => ({ Resources: [first(seen).InstanceId], Tags: tags, DryRun })],
  ...reading('ec2:DescribeTags', [{ Filters: filters('key', 'a') }]),
  ...reading('ec2:DescribeInstances', [{ Filters: filters('tag:a', 'b') }]),
  ['ec2:DescribeInstances', (seen) => ({ InstanceIds: [first(seen).InstanceId] })],
  ({ aws }) => aws.ec2.setImpaired([...aws.ec2.instances.keys()][0]!, true),
  ...reading('ec2:DescribeInstanceStatus', [{ Filters: filters('instance-status.status', 'impaired') }]),
  ['ec2:DescribeInstanceStatus', (seen) => ({ InstanceIds: [first(seen).InstanceId] })],
  ['ssm:DescribeInstanceInformation', { MaxResults: 5 }],
  ['ssm:DescribeInstanceInformation', (seen) => ({ NextToken: seen.DescribeInstanceInformation.NextToken })],
  [
    'ssm:DescribeInstanceInformation',
    (seen) => ({ Filters: [{ Key: 'InstanceIds', Values: [first(seen).InstanceId] }] }),
  ],
  [
    'ssm:DescribeInstanceInformation',
    (seen) => ({ InstanceInformationFilterList: [{ key: 'InstanceIds', valueSet: [first(seen).InstanceId] }] }),
  ],
  [
    'ssm:SendCommand',
    (seen) => ({
      DocumentName: 'AWS-RunShellScript',
      InstanceIds: [first(seen).InstanceId],
      Parameters: { commands: ['true'] },
      Comment: 'c',
      TimeoutSeconds: 60,
    }),
  ],
  10_000,
  ['ssm:GetCommandInvocation', (seen) => ({ CommandId: seen.SendCommand.Command.CommandId, ...first(seen) })],
  [
    'ssm:SendCommand',
    {
      DocumentName: 'AWS-RunShellScript',
      Targets: [{ Key: 'tag:a', Values: ['b'] }],
      Parameters: { commands: ['true'] },
    },
  ],
  10_000,
  ['ssm:ListCommandInvocations', (seen) => ({ CommandId: seen.SendCommand.Command.CommandId, Details: true })],
  ['ssm:ListCommandInvocations', { InstanceId: 'i-00000000000000000' }],
  ['ssm:ListCommandInvocations', { Filters: [{ key: 'Status', value: 'Failed' }] }],
  ['ssm:ListCommandInvocations', { MaxResults: 1 }],
  ['ssm:ListCommandInvocations', (seen) => ({ NextToken: seen.ListCommandInvocations.NextToken })],
  ['ec2:TerminateInstances', (seen) => ({ InstanceIds: [first(seen).InstanceId], DryRun })],
  ['ec2:TerminateInstances', (seen) => ({ InstanceIds: [first(seen).InstanceId] })],
  ['ec2:DescribeInstanceStatus', { IncludeAllInstances: true }],
];

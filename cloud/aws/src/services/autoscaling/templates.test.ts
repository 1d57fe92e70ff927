import {
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  SetDesiredCapacityCommand,
} from '@aws-sdk/client-auto-scaling';
import { DeleteStackCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import type { TemplateObject } from '../../cloudformation/template/template.ts';
import { type StackWorld, stackWorld } from '../../cloudformation/testing/stack-world.ts';

const Type = (name: string) => `AWS::AutoScaling::${name}`;
const Ref = (name: string) => ({ Ref: name });
const GetAtt = (name: string, attribute: string) => ({ 'Fn::GetAtt': [name, attribute] });

const launchTemplate = (InstanceType: string, more: TemplateObject = {}) => ({
  Type: 'AWS::EC2::LaunchTemplate',
  Properties: { LaunchTemplateData: { ImageId: 'ami-0a10000000000a201', InstanceType, ...more } },
});

/** A group as the templates of a fleet write it. */
const fleet = (
  options: { type?: string; group?: TemplateObject; more?: TemplateObject; policy?: TemplateObject } = {},
) => ({
  Resources: {
    Template: launchTemplate(options.type ?? 't3a.medium'),
    Group: {
      Type: Type('AutoScalingGroup'),
      ...(options.policy === undefined ? {} : { UpdatePolicy: options.policy }),
      Properties: {
        AutoScalingGroupName: 'fleet',
        MinSize: '1',
        MaxSize: '4',
        DesiredCapacity: '2',
        AvailabilityZones: ['eu-west-1a', 'eu-west-1b'],
        LaunchTemplate: { LaunchTemplateId: Ref('Template'), Version: GetAtt('Template', 'LatestVersionNumber') },
        ...options.group,
      },
    },
    ...options.more,
  },
});

const describeGroup = async ({ sdk }: StackWorld) =>
  (await sdk.autoscaling.send(new DescribeAutoScalingGroupsCommand({}))).AutoScalingGroups![0];

const update = async (stacks: StackWorld, template: TemplateObject) => {
  const TemplateBody = JSON.stringify(template);
  await stacks.sdk.cloudformation.send(new UpdateStackCommand({ StackName: 'demo', TemplateBody }));
  await stacks.rest();
  return (await stacks.describe('demo')).StackStatus;
};

describe('templates of groups', () => {
  it('a stack is complete when its instances are in service; it goes with them', async () => {
    const stacks = stackWorld();
    const { StackStatus, StackId } = await stacks.create('demo', fleet());

    expect(StackStatus).toBe('CREATE_COMPLETE');
    const group = await describeGroup(stacks);
    expect(group?.Instances?.map((instance) => instance.LifecycleState)).toEqual(['InService', 'InService']);
    expect(group?.Tags).toContainEqual(
      expect.objectContaining({ Key: 'aws:cloudformation:stack-name', Value: 'demo', PropagateAtLaunch: true }),
    );

    await stacks.sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }));
    await stacks.rest();
    expect((await stacks.describe(StackId!)).StackStatus).toBe('DELETE_COMPLETE');
    expect(await describeGroup(stacks)).toBeUndefined();
  });

  it.each([
    ['a group', {}],
    [
      'a group that retains instances, which refuses a forced delete,',
      { InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } } },
    ],
  ])('%s whose instances never come fails the stack with the reason of the last launch', async (_, group) => {
    const stacks = stackWorld();
    stacks.world.engine.faults.add({ service: 'autoscaling', operation: 'Launch', effect: { kind: 'error' } });

    expect((await stacks.create('demo', fleet({ group }))).StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stacks.events('demo').join('\n')).toContain(
      'Group did not stabilize. {current/minimum/target group size: 0/1/2}. Failed Scaling Activity: ' +
        'We currently do not have sufficient capacity in the Availability Zone you requested (eu-west-1b). ' +
        'Launching EC2 instance failed.',
    );
    expect(await describeGroup(stacks)).toBeUndefined();
  });

  it('a group whose image does not exist is refused at once', async () => {
    const stacks = stackWorld();
    const { StackStatus } = await stacks.create(
      'demo',
      fleet({ more: { Template: launchTemplate('t3a.medium', { ImageId: 'ami-0' }) } }),
    );

    expect(StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stacks.events('demo').join('\n')).toContain(
      "You must use a valid fully-formed launch template. The image id '[ami-0]' does not exist",
    );
  });

  it('hooks written in the group hold its very first launch', async () => {
    const stacks = stackWorld();
    const { world } = stacks;
    const LifecycleHookSpecificationList = [
      {
        LifecycleHookName: 'registration',
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
        HeartbeatTimeout: 900,
        DefaultResult: 'ABANDON',
      },
    ];
    let held = 0;
    world.engine.journal.subscribe((entry) => {
      if (entry.name !== 'Pending -> Pending:Wait') return;
      held += 1;
      const action = { AutoScalingGroupName: 'fleet', LifecycleHookName: 'registration', InstanceId: entry.subject! };
      const command = new CompleteLifecycleActionCommand({ ...action, LifecycleActionResult: 'CONTINUE' });
      world.engine.clock.after(5_000, () => void stacks.sdk.autoscaling.send(command));
    });

    const { StackStatus } = await stacks.create('demo', fleet({ group: { LifecycleHookSpecificationList } }));
    expect(StackStatus).toBe('CREATE_COMPLETE');
    expect(held).toBe(2);
  });

  it('policies and warm pools are resources of their own', async () => {
    const stacks = stackWorld();
    const AutoScalingGroupName = Ref('Group');
    const more = {
      Policy: {
        Type: Type('ScalingPolicy'),
        Properties: {
          AutoScalingGroupName,
          PolicyType: 'StepScaling',
          AdjustmentType: 'ChangeInCapacity',
          StepAdjustments: [{ MetricIntervalUpperBound: 0, ScalingAdjustment: 1 }],
        },
      },
      Pool: { Type: Type('WarmPool'), Properties: { AutoScalingGroupName, MinSize: 1, MaxGroupPreparedCapacity: 3 } },
    };
    const template = { ...fleet({ more }), Outputs: { Policy: { Value: Ref('Policy') } } };

    const { StackStatus, Outputs } = await stacks.create('demo', template);
    expect(StackStatus).toBe('CREATE_COMPLETE');
    expect(Outputs?.[0]?.OutputValue).toMatch(/^arn:aws:autoscaling:.*:scalingPolicy:.*:policyName\/demo-Policy-/);
    expect(stacks.world.aws.autoscaling.scaler.policiesByArn.size).toBe(1);
    expect((await describeGroup(stacks))?.WarmPoolConfiguration).toMatchObject({ MinSize: 1, PoolState: 'Stopped' });

    await stacks.sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }));
    await stacks.rest();
    expect(await describeGroup(stacks)).toBeUndefined();
  });

  it('a new launch template version leaves the instances alone without an update policy', async () => {
    const stacks = stackWorld();
    await stacks.create('demo', fleet());

    expect(await update(stacks, fleet({ type: 't3a.large' }))).toBe('UPDATE_COMPLETE');
    const group = await describeGroup(stacks);
    expect(group?.LaunchTemplate?.Version).toBe('2');
    expect(group?.Instances?.map((instance) => instance.InstanceType)).toEqual(['t3a.medium', 't3a.medium']);
  });

  it('an update sets the sizes of the template again, unless the policy leaves unmodified ones alone', async () => {
    for (const [policy, expected] of [
      [undefined, 2],
      [{ AutoScalingScheduledAction: { IgnoreUnmodifiedGroupSizeProperties: true } }, 3],
    ] as const) {
      const stacks = stackWorld();
      const options = policy === undefined ? {} : { policy };
      await stacks.create('demo', fleet(options));
      const desired = { AutoScalingGroupName: 'fleet', DesiredCapacity: 3 };
      await stacks.sdk.autoscaling.send(new SetDesiredCapacityCommand(desired));

      expect(await update(stacks, fleet({ ...options, group: { Cooldown: '60' } }))).toBe('UPDATE_COMPLETE');
      expect(await describeGroup(stacks)).toMatchObject({ DesiredCapacity: expected, DefaultCooldown: 60 });
    }
  });

  it('the instance refresh policy replaces instances, new before old, and the update waits for that', async () => {
    const stacks = stackWorld();
    const policy = {
      AutoScalingInstanceRefresh: { Strategy: 'Rolling', Preferences: { ScaleInProtectedInstances: 'Refresh' } },
    };
    await stacks.create('demo', fleet({ policy }));

    expect(await update(stacks, fleet({ policy, type: 't3a.large' }))).toBe('UPDATE_COMPLETE');
    const group = await describeGroup(stacks);
    const serving = group?.Instances?.filter((instance) => instance.LifecycleState === 'InService');
    expect(serving?.map((instance) => instance.InstanceType)).toEqual(['t3a.large', 't3a.large']);
    const refreshes = await stacks.sdk.autoscaling.send(
      new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: 'fleet' }),
    );
    expect(refreshes.InstanceRefreshes).toMatchObject([
      {
        Status: 'Successful',
        Preferences: { MinHealthyPercentage: 100, MaxHealthyPercentage: 110, SkipMatching: true },
      },
    ]);
  });

  it('a rolling update that keeps as many instances as the group may have is refused', async () => {
    const stacks = stackWorld();
    const policy = { AutoScalingRollingUpdate: { MinInstancesInService: 50 } };
    await stacks.create('demo', fleet({ policy }));
    expect(await update(stacks, fleet({ policy, type: 't3a.large' }))).toMatch(/^UPDATE_ROLLBACK/);
    expect(stacks.events('demo').join('\n')).toContain('MinInstancesInService must be less than');
  });

  it('the rolling update policy replaces them too', async () => {
    const stacks = stackWorld();
    const policy = { AutoScalingRollingUpdate: { MaxBatchSize: 1, MinInstancesInService: 1, PauseTime: 'PT1M' } };
    await stacks.create('demo', fleet({ policy }));

    expect(await update(stacks, fleet({ policy, type: 't3a.large' }))).toBe('UPDATE_COMPLETE');
    const serving = (await describeGroup(stacks))?.Instances?.filter((i) => i.LifecycleState === 'InService');
    expect(serving?.map((instance) => instance.InstanceType)).toEqual(['t3a.large', 't3a.large']);
  });
});

describe('templates of networks', () => {
  it('private subnets reach the internet through NAT only', async () => {
    const stacks = stackWorld();
    const VpcId = Ref('Vpc');
    const subnet = (CidrBlock: string, MapPublicIpOnLaunch = false) => ({
      Type: 'AWS::EC2::Subnet',
      Properties: { VpcId, CidrBlock, AvailabilityZone: 'eu-west-1a', MapPublicIpOnLaunch },
    });
    const table = { Type: 'AWS::EC2::RouteTable', Properties: { VpcId } };
    const route = (RouteTableId: TemplateObject, target: TemplateObject, more: TemplateObject = {}) => ({
      Type: 'AWS::EC2::Route',
      Properties: { RouteTableId, DestinationCidrBlock: '0.0.0.0/0', ...target },
      ...more,
    });
    const association = (RouteTableId: TemplateObject, SubnetId: TemplateObject) => ({
      Type: 'AWS::EC2::SubnetRouteTableAssociation',
      Properties: { RouteTableId, SubnetId },
    });
    const { StackStatus, Outputs } = await stacks.create('demo', {
      Resources: {
        Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16', EnableDnsHostnames: true } },
        Gateway: { Type: 'AWS::EC2::InternetGateway' },
        Attachment: {
          Type: 'AWS::EC2::VPCGatewayAttachment',
          Properties: { VpcId, InternetGatewayId: Ref('Gateway') },
        },
        Public: subnet('10.0.0.0/24', true),
        Private: subnet('10.0.1.0/24'),
        Lonely: subnet('10.0.2.0/24'),
        PublicTable: table,
        PublicRoute: route(Ref('PublicTable'), { GatewayId: Ref('Gateway') }, { DependsOn: 'Attachment' }),
        PublicAssociation: association(Ref('PublicTable'), Ref('Public')),
        Address: { Type: 'AWS::EC2::EIP', Properties: { Domain: 'vpc' } },
        Nat: {
          Type: 'AWS::EC2::NatGateway',
          Properties: { SubnetId: Ref('Public'), AllocationId: GetAtt('Address', 'AllocationId') },
        },
        PrivateTable: table,
        PrivateRoute: route(Ref('PrivateTable'), { NatGatewayId: Ref('Nat') }),
        PrivateAssociation: association(Ref('PrivateTable'), Ref('Private')),
        Nodes: { Type: 'AWS::EC2::SecurityGroup', Properties: { GroupDescription: 'nodes', VpcId } },
        Transport: {
          Type: 'AWS::EC2::SecurityGroupIngress',
          Properties: {
            GroupId: Ref('Nodes'),
            IpProtocol: 'tcp',
            FromPort: 9300,
            ToPort: 9300,
            SourceSecurityGroupId: Ref('Nodes'),
          },
        },
      },
      Outputs: {
        Public: { Value: Ref('Public') },
        Private: { Value: Ref('Private') },
        Lonely: { Value: Ref('Lonely') },
        Nodes: { Value: GetAtt('Nodes', 'GroupId') },
      },
    });

    expect(StackStatus).toBe('CREATE_COMPLETE');
    const output = (key: string) => Outputs!.find((one) => one.OutputKey === key)!.OutputValue!;
    const { ec2 } = stacks.world.aws;
    expect(['Public', 'Private', 'Lonely'].map((name) => ec2.network.internetRoute(output(name)))).toEqual([
      'internet-gateway',
      'nat',
      'none',
    ]);
    expect(['Public', 'Private', 'Lonely'].map((name) => ec2.hasInternetRoute(output(name)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(ec2.network.securityGroup(output('Nodes')).rules.size).toBe(2);
    await stacks.sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'demo' }));
    await stacks.rest();
    expect(ec2.network.vpcs.size).toBe(1);
  });
});

import {
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  SetDesiredCapacityCommand,
  SetInstanceProtectionCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateTagsCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { type Clients, clients } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { Stage } from './stage.test-support.ts';

const account = '123456789012';
const groupArn = (name: string) =>
  `arn:aws:autoscaling:eu-west-1:${account}:autoScalingGroup:*:autoScalingGroupName/${name}`;

/** Clients of a role that a function would have, with one policy. */
async function withPolicy(stage: Stage, ...Statement: object[]): Promise<Clients> {
  const { iam } = clients(stage.world);
  const trust = { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const document = (statements: object[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements });
  await iam.send(new CreateRoleCommand({ RoleName: 'role', AssumeRolePolicyDocument: document([trust]) }));
  const PolicyDocument = document(Statement);
  await iam.send(new PutRolePolicyCommand({ RoleName: 'role', PolicyName: 'p', PolicyDocument }));
  const role = `arn:aws:iam::${account}:role/role`;
  const credentials = stage.world.aws.iam.assumeRoleForService(role, 'lambda.amazonaws.com', 'session');
  return clients(stage.world, credentials, { maxAttempts: 1 });
}

const denied = { name: expect.stringMatching(/AccessDenied|UnauthorizedOperation/) };

async function twoGroups(): Promise<Stage> {
  const stage = new Stage();
  await stage.group({ AutoScalingGroupName: 'ours', Tags: [{ Key: 'team', Value: 'ci', PropagateAtLaunch: true }] });
  await stage.group({ AutoScalingGroupName: 'theirs' });
  await stage.untilStates(['InService'], undefined, 'ours');
  await stage.untilStates(['InService'], undefined, 'theirs');
  return stage;
}

describe('permissions', () => {
  it('a policy on one group allows nothing on another', async () => {
    const stage = await twoGroups();
    const Action = ['SetDesiredCapacity', 'CompleteLifecycleAction', 'SetInstanceProtection'].map(
      (a) => `autoscaling:${a}`,
    );
    const { autoscaling } = await withPolicy(stage, { Effect: 'Allow', Action, Resource: groupArn('ours') });

    const desired = (AutoScalingGroupName: string) =>
      autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity: 1 }));
    await desired('ours');
    await expect(desired('theirs')).rejects.toMatchObject(denied);
    const action = { LifecycleHookName: 'h', InstanceId: 'i-0123456789abcdef0', LifecycleActionResult: 'CONTINUE' };
    const complete = (AutoScalingGroupName: string) =>
      autoscaling.send(new CompleteLifecycleActionCommand({ ...action, AutoScalingGroupName }));
    await expect(complete('ours')).rejects.toThrow('No active Lifecycle Action found');
    await expect(complete('theirs')).rejects.toMatchObject(denied);
    const instance = await stage.only('theirs');
    const protect = { AutoScalingGroupName: 'theirs', InstanceIds: [instance], ProtectedFromScaleIn: true };
    await expect(autoscaling.send(new SetInstanceProtectionCommand(protect))).rejects.toMatchObject(denied);
  });

  it('describe calls need a permission on everything', async () => {
    const stage = await twoGroups();
    const Action = 'autoscaling:DescribeAutoScalingGroups';
    const { autoscaling } = await withPolicy(stage, { Effect: 'Allow', Action, Resource: groupArn('ours') });

    await expect(autoscaling.send(new DescribeAutoScalingGroupsCommand({}))).rejects.toMatchObject(denied);
  });

  it('termination is asked of the group of the instance, by its tags if the policy says so', async () => {
    const stage = await twoGroups();
    const { autoscaling } = await withPolicy(stage, {
      Effect: 'Allow',
      Action: 'autoscaling:TerminateInstanceInAutoScalingGroup',
      Resource: '*',
      Condition: { StringEquals: { 'autoscaling:ResourceTag/team': 'ci' } },
    });
    const terminate = (InstanceId: string) =>
      autoscaling.send(
        new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity: false }),
      );

    await terminate(await stage.only('ours'));
    await expect(terminate(await stage.only('theirs'))).rejects.toMatchObject(denied);
  });

  it('tags may be limited to keys and to instances of a group', async () => {
    const stage = await twoGroups();
    const { ec2 } = await withPolicy(stage, {
      Effect: 'Allow',
      Action: 'ec2:CreateTags',
      Resource: `arn:aws:ec2:eu-west-1:${account}:instance/*`,
      Condition: {
        StringEquals: { 'aws:ResourceTag/aws:autoscaling:groupName': 'ours' },
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['alive'] },
      },
    });
    const [ours, theirs] = [await stage.only('ours'), await stage.only('theirs')];
    const tag = (instance: string, Key: string) =>
      ec2.send(new CreateTagsCommand({ Resources: [instance], Tags: [{ Key, Value: 'now' }] }));

    await tag(ours, 'alive');
    expect(stage.world.aws.ec2.instances.get(ours)?.tags.alive).toBe('now');
    await expect(tag(ours, 'team')).rejects.toMatchObject(denied);
    await expect(tag(theirs, 'alive')).rejects.toMatchObject(denied);
    await expect(ec2.send(new TerminateInstancesCommand({ InstanceIds: [ours] }))).rejects.toMatchObject(denied);
  });
});

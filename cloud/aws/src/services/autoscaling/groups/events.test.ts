import {
  PutLifecycleHookCommand,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { clients } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { hook, Stage } from '../stage.test-support.ts';

interface Heard {
  readonly source: string;
  readonly 'detail-type': string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A queue behind a rule, as anybody would listen to events. */
async function listen(stage: Stage, pattern: object) {
  const sdk = clients(stage.world, undefined, { fast: true });
  const allow = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: '*',
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [allow] });
  const { QueueUrl } = await sdk.sqs.send(new CreateQueueCommand({ QueueName: 'heard', Attributes: { Policy } }));
  const attributes = { QueueUrl: QueueUrl!, AttributeNames: ['QueueArn' as const] };
  const { Attributes } = await sdk.sqs.send(new GetQueueAttributesCommand(attributes));
  await sdk.events.send(new PutRuleCommand({ Name: 'all', EventPattern: JSON.stringify(pattern) }));
  const Arn = Attributes!.QueueArn!;
  await sdk.events.send(new PutTargetsCommand({ Rule: 'all', Targets: [{ Id: 'queue', Arn }] }));
  const read = async (): Promise<unknown[]> => {
    const all: unknown[] = [];
    for (;;) {
      const request = { QueueUrl: QueueUrl!, MaxNumberOfMessages: 10, VisibilityTimeout: 43_200 };
      const { Messages } = await sdk.sqs.send(new ReceiveMessageCommand(request));
      if (!Messages?.length) return all;
      all.push(...Messages.map((message) => JSON.parse(message.Body!)));
    }
  };
  return { read, queueArn: Arn };
}

describe('events', () => {
  it('tell launches, terminations and lifecycle actions with the documented details', async () => {
    const stage = new Stage();
    const { read } = await listen(stage, { source: ['aws.autoscaling', 'aws.ec2'] });
    const NotificationMetadata = '{"fleet":"a"}';
    const hooks = [hook('launch', 'LAUNCHING', { NotificationMetadata }), hook('drain', 'TERMINATING')];
    await stage.group({ LifecycleHookSpecificationList: hooks });
    await stage.untilStates(['Pending:Wait']);
    const instance = await stage.only();
    await stage.complete('launch', instance);
    await stage.untilState(instance, 'InService');
    const terminate = { InstanceId: instance, ShouldDecrementDesiredCapacity: true };
    await stage.autoscaling.send(new TerminateInstanceInAutoScalingGroupCommand(terminate));
    await stage.untilState(instance, 'Terminating:Wait');
    await stage.complete('drain', instance);
    await stage.untilState(instance, undefined);
    await stage.pass(60_000);

    const heard = (await read()) as Heard[];
    const types = heard.map((event) => event['detail-type']);
    expect([...new Set(types)].sort()).toEqual([
      'EC2 Instance Launch Successful',
      'EC2 Instance State-change Notification',
      'EC2 Instance Terminate Successful',
      'EC2 Instance-launch Lifecycle Action',
      'EC2 Instance-terminate Lifecycle Action',
    ]);
    const launch = heard.find((event) => event['detail-type'] === 'EC2 Instance-launch Lifecycle Action')!;
    const { AutoScalingGroupARN } = await stage.describe();
    expect(launch).toMatchObject({ source: 'aws.autoscaling', resources: [AutoScalingGroupARN] });
    expect(launch.detail).toEqual({
      LifecycleActionToken: expect.stringMatching(/^[-0-9a-f]{36}$/),
      AutoScalingGroupName: 'group',
      LifecycleHookName: 'launch',
      EC2InstanceId: instance,
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
      NotificationMetadata,
    });
    const served = heard.find((event) => event['detail-type'] === 'EC2 Instance Launch Successful')!;
    expect(served.resources[1]).toBe(`arn:aws:ec2:eu-west-1:123456789012:instance/${instance}`);
    expect(served.detail).toMatchObject({
      StatusCode: 'InProgress',
      EC2InstanceId: instance,
      Description: `Launching a new EC2 instance: ${instance}`,
      Details: { 'Availability Zone': 'eu-west-1a', 'Subnet ID': expect.stringMatching(/^subnet-/) },
    });
  });

  it('a failed launch is told as unsuccessful', async () => {
    const stage = new Stage();
    const { read } = await listen(stage, { 'detail-type': ['EC2 Instance Launch Unsuccessful'] });
    stage.fault({ service: 'autoscaling', operation: 'Launch', times: 1, effect: { kind: 'error' } });
    await stage.group();
    await stage.untilStates(['InService']);
    await stage.pass(60_000);

    const [event] = (await read()) as Heard[];
    expect(event?.detail).toMatchObject({ StatusCode: 'Failed', StatusMessage: expect.stringContaining('capacity') });
  });

  it('a spot instance is announced to be taken away two minutes before it is', async () => {
    const stage = new Stage();
    const { read } = await listen(stage, { 'detail-type': ['EC2 Spot Instance Interruption Warning'] });
    await stage.group({}, { InstanceMarketOptions: { MarketType: 'spot' } });
    await stage.untilStates(['InService']);
    const instance = await stage.only();

    stage.world.aws.ec2.reclaimSpot(instance);
    await stage.pass(60_000);

    expect(await read()).toMatchObject([
      { source: 'aws.ec2', detail: { 'instance-id': instance, 'instance-action': 'terminate' } },
    ]);
    expect(await stage.power(instance)).toBe('running');
  });

  it('a hook with a notification target sends a test message, then one for each action', async () => {
    const stage = new Stage();
    const { read, queueArn } = await listen(stage, { source: ['nobody'] });
    await stage.group({ DesiredCapacity: 0 });
    await stage.autoscaling.send(
      new PutLifecycleHookCommand({
        AutoScalingGroupName: 'group',
        LifecycleHookName: 'launch',
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
        NotificationTargetARN: queueArn,
        RoleARN: 'arn:aws:iam::123456789012:role/notifier',
      }),
    );
    await stage.autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'group', DesiredCapacity: 1 }));
    await stage.untilStates(['Pending:Wait']);

    const [test, action] = (await read()) as Record<string, unknown>[];
    expect(test).toMatchObject({ Event: 'autoscaling:TEST_NOTIFICATION' });
    expect(action).toMatchObject({
      LifecycleHookName: 'launch',
      Service: 'AWS Auto Scaling',
      AccountId: '123456789012',
    });
  });
});

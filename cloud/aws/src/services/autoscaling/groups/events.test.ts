import { PutLifecycleHookCommand, TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { describe, expect, it } from 'vitest';
import { hook, Stage } from '../stage.test-support.ts';

interface Heard {
  readonly source: string;
  readonly 'detail-type': string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Collects what the group and EC2 put on the bus from now on. */
function listen(stage: Stage): Heard[] {
  const heard: Heard[] = [];
  const { events } = stage.world.aws;
  const emit = events.emit.bind(events);
  events.emit = (event) => {
    heard.push({ 'detail-type': event.detailType, resources: [], ...event });
    emit(event);
  };
  return heard;
}

describe('events', () => {
  it('show launches, terminations and lifecycle actions with the documented details', async () => {
    const stage = new Stage();
    const heard = listen(stage);
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

  it('a failed launch is reported as unsuccessful', async () => {
    const stage = new Stage();
    const heard = listen(stage);
    stage.fault({ service: 'autoscaling', operation: 'Launch', times: 1, effect: { kind: 'error' } });
    await stage.group();
    await stage.untilStates(['InService']);
    await stage.pass(60_000);

    const event = heard.find(({ 'detail-type': type }) => type === 'EC2 Instance Launch Unsuccessful');
    expect(event?.detail).toMatchObject({ StatusCode: 'Failed', StatusMessage: expect.stringContaining('capacity') });
  });

  it('a hook with a notification target is refused', async () => {
    const stage = new Stage();
    await stage.group({ DesiredCapacity: 0 });
    const put = stage.autoscaling.send(
      new PutLifecycleHookCommand({
        AutoScalingGroupName: 'group',
        LifecycleHookName: 'launch',
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
        NotificationTargetARN: 'arn:aws:sqs:eu-west-1:123456789012:q',
      }),
    );

    await expect(put).rejects.toMatchObject({ name: 'NotImplemented' });
  });
});

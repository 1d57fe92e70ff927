import {
  CompleteLifecycleActionCommand,
  DescribeLifecycleHooksCommand,
  PutLifecycleHookCommand,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { describe, expect, it } from 'vitest';
import { hook, minuteMs, Stage } from '../stage.test-support.ts';
import { deleteHook } from './hook-settings.ts';

const terminate = async (stage: Stage, InstanceId: string, ShouldDecrementDesiredCapacity = false) =>
  await stage.autoscaling.send(
    new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity }),
  );

describe('launch hooks', () => {
  it('launch hooks hold the first instance of a new group, which counts as pending until the hook is complete', async () => {
    const stage = new Stage();
    await stage.group({ LifecycleHookSpecificationList: [hook('launch', 'LAUNCHING')] });

    await stage.untilStates(['Pending:Wait']);
    await stage.complete('launch', await stage.only());
    await stage.untilStates(['InService']);

    const [activity] = await stage.activities();
    expect(activity?.StatusCode).toBe('Successful');
    expect(activity?.Cause).toMatch(
      /^At \S+Z a user request created an AutoScalingGroup changing the desired capacity from 0 to 1\. {2}At \S+Z an instance was started in response to a difference between desired and actual capacity, increasing the capacity from 0 to 1\.$/,
    );
  });

  it('[rule 1] ABANDON terminates the instance, through its termination hooks, and another is launched', async () => {
    const stage = new Stage();
    const hooks = [hook('launch', 'LAUNCHING'), hook('drain', 'TERMINATING')];
    await stage.group({ LifecycleHookSpecificationList: hooks });
    await stage.untilStates(['Pending:Wait']);
    const doomed = await stage.only();

    await stage.complete('launch', doomed, 'ABANDON');
    await stage.untilStates(['Pending:Wait', 'Terminating:Wait']);
    await stage.complete('drain', doomed);
    await stage.untilState(doomed, undefined);

    expect(await stage.power(doomed)).toBe('terminated');
    expect(await stage.only()).not.toBe(doomed);
    const launch = (await stage.activities()).find((activity) =>
      activity.Description?.includes(`instance: ${doomed}.`),
    );
    expect(launch?.StatusCode).toBe('Cancelled');
    expect(launch?.StatusMessage).toMatch(
      /^Instance failed to complete user's Lifecycle Action: Lifecycle Action with token [-0-9a-f]{36} was abandoned: Lifecycle Action Completed with ABANDON Result$/,
    );
  });
});

describe('termination hooks', () => {
  const serving = async (more: object = {}, hooks = [hook('drain', 'TERMINATING')]) => {
    const stage = new Stage();
    await stage.group({ LifecycleHookSpecificationList: hooks, ...more });
    await stage.untilStates(['InService']);
    const instance = await stage.only();
    await terminate(stage, instance);
    await stage.untilState(instance, 'Terminating:Wait');
    return { stage, instance };
  };

  it('[rule 1] either result lets the instance go, and its replacement does not wait for that', async () => {
    for (const result of ['CONTINUE', 'ABANDON']) {
      const { stage, instance } = await serving();

      await stage.untilStates(['InService', 'Terminating:Wait']);
      expect(await stage.power(instance)).toBe('running');
      await stage.complete('drain', instance, result);
      await stage.untilState(instance, undefined);

      expect(await stage.power(instance)).toBe('terminated');
      expect(await stage.states()).toEqual(['InService']);
    }
  });

  it('[rule 1] retaining also follows a timeout whose default is ABANDON, but never CONTINUE', async () => {
    const retain = { InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' as const } } };
    const abandoned = await serving(retain, [hook('drain', 'TERMINATING', { HeartbeatTimeout: 60 })]);
    await abandoned.stage.untilState(abandoned.instance, 'Terminating:Retained');

    const continued = await serving(retain);
    await continued.stage.complete('drain', continued.instance, 'CONTINUE');
    await continued.stage.untilState(continued.instance, undefined);
  });

  it('a scale-in names the chosen instance in its cause', async () => {
    const stage = new Stage();
    await stage.group({ DesiredCapacity: 2 });
    await stage.untilStates(['InService', 'InService']);

    const desired = { AutoScalingGroupName: 'group', DesiredCapacity: 1 };
    await stage.autoscaling.send(new SetDesiredCapacityCommand(desired));
    await stage.untilStates(['InService']);

    const [activity] = await stage.activities();
    expect(activity?.Cause).toMatch(
      /a user request explicitly set group desired capacity changing the desired capacity from 2 to 1\. {2}At \S+ an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from 2 to 1\. {2}At \S+ instance i-\w+ was selected for termination\.$/,
    );
  });
});

describe('several hooks on one transition', () => {
  const two = [hook('first', 'LAUNCHING'), hook('second', 'LAUNCHING')];

  it('[rule 3] one ABANDON ends the wait, and the other hook has nothing left to complete', async () => {
    const stage = new Stage();
    await stage.group({ LifecycleHookSpecificationList: two });
    await stage.untilStates(['Pending:Wait']);
    const instance = await stage.only();

    await stage.complete('first', instance, 'ABANDON');

    await expect(stage.complete('second', instance)).rejects.toMatchObject({
      name: 'ValidationError',
      message: `No active Lifecycle Action found with instance ID ${instance}`,
    });
    await stage.untilState(instance, undefined);
  });

  it('[rule 3] one timeout with ABANDON ends the wait although the other hook still has time', async () => {
    const stage = new Stage();
    const hooks = [hook('short', 'LAUNCHING', { HeartbeatTimeout: 60 }), hook('long', 'LAUNCHING')];
    await stage.group({ LifecycleHookSpecificationList: hooks });
    await stage.untilStates(['Pending:Wait']);
    const instance = await stage.only();

    await stage.untilState(instance, undefined, 4 * minuteMs);
  });
});

describe('lifecycle actions', () => {
  it('lifecycle actions are complete only once, and only for a hook that waits', async () => {
    const stage = new Stage();
    await stage.group({ LifecycleHookSpecificationList: [hook('launch', 'LAUNCHING')] });
    await stage.untilStates(['Pending:Wait']);
    const instance = await stage.only();
    await stage.complete('launch', instance);

    await expect(stage.complete('launch', instance)).rejects.toThrow('No active Lifecycle Action found');
    await expect(stage.heartbeat('launch', instance)).rejects.toThrow('No active Lifecycle Action found');
    await expect(stage.complete('other', instance)).rejects.toThrow('No active Lifecycle Action found');
  });

  it('refuse a result that is neither CONTINUE nor ABANDON, and an unknown token', async () => {
    const stage = new Stage();
    await stage.group();

    const request = { AutoScalingGroupName: 'group', LifecycleHookName: 'x', LifecycleActionToken: 'a'.repeat(36) };
    const complete = (LifecycleActionResult: string) =>
      stage.autoscaling.send(new CompleteLifecycleActionCommand({ ...request, LifecycleActionResult }));
    await expect(complete('DONE')).rejects.toThrow('Invalid Lifecycle Action Result');
    await expect(complete('CONTINUE')).rejects.toThrow(`No active Lifecycle Action found with token ${'a'.repeat(36)}`);
  });

  it('end when their hook is deleted: launching instances are abandoned, terminating ones continue', async () => {
    const stage = new Stage();
    const hooks = [hook('launch', 'LAUNCHING'), hook('drain', 'TERMINATING')];
    await stage.group({ LifecycleHookSpecificationList: hooks });
    await stage.untilStates(['Pending:Wait']);
    const instance = await stage.only();

    const { scaler } = stage.world.aws.autoscaling;
    const remove = (name: string) => deleteHook(scaler, scaler.group('group'), name);
    remove('launch');
    await stage.untilState(instance, 'Terminating:Wait');
    remove('drain');
    await stage.untilState(instance, undefined);
    await stage.untilStates(['InService']);
  });

  it('a hook needs a timeout from 30 to 7200 seconds and, when new, a transition', async () => {
    const stage = new Stage();
    await stage.group();
    const put = (more: object) =>
      stage.autoscaling.send(
        new PutLifecycleHookCommand({ AutoScalingGroupName: 'group', LifecycleHookName: 'h', ...more }),
      );

    const LifecycleTransition = 'autoscaling:EC2_INSTANCE_LAUNCHING';
    await expect(put({ LifecycleTransition, HeartbeatTimeout: 29 })).rejects.toThrow('30 to 7200');
    await expect(put({ LifecycleTransition, HeartbeatTimeout: 7201 })).rejects.toThrow('30 to 7200');
    await expect(put({})).rejects.toThrow('LifecycleTransition');
    await put({ LifecycleTransition });
    const { LifecycleHooks } = await stage.autoscaling.send(
      new DescribeLifecycleHooksCommand({ AutoScalingGroupName: 'group' }),
    );
    expect(LifecycleHooks).toMatchObject([
      { HeartbeatTimeout: 3600, GlobalTimeout: 172_800, DefaultResult: 'ABANDON' },
    ]);
  });
});

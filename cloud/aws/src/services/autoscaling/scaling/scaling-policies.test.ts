import {
  ExecutePolicyCommand,
  PutScalingPolicyCommand,
  type PutScalingPolicyType,
  SuspendProcessesCommand,
} from '@aws-sdk/client-auto-scaling';
import { describe, expect, it } from 'vitest';
import { hook, minuteMs, Stage } from '../stage.test-support.ts';

const put = async (stage: Stage, more: Partial<PutScalingPolicyType>) => {
  const policy = { AutoScalingGroupName: 'group', PolicyName: 'policy', AdjustmentType: 'ChangeInCapacity', ...more };
  const answer = await stage.autoscaling.send(new PutScalingPolicyCommand(policy));
  return answer.PolicyARN!;
};

const step = (ScalingAdjustment: number, MetricIntervalLowerBound?: number, MetricIntervalUpperBound?: number) => ({
  ScalingAdjustment,
  MetricIntervalLowerBound,
  MetricIntervalUpperBound,
});

const execute = async (stage: Stage, MetricValue: number, BreachThreshold: number, PolicyName = 'policy') =>
  await stage.autoscaling.send(
    new ExecutePolicyCommand({ AutoScalingGroupName: 'group', PolicyName, MetricValue, BreachThreshold }),
  );

const desired = async (stage: Stage) => (await stage.describe()).DesiredCapacity;

describe('step scaling', () => {
  it('[rule 7] instances that warm up are what the same breach asked for: it does not scale twice', async () => {
    const stage = new Stage();
    await stage.group({ MaxSize: 20, DesiredCapacity: 4 });
    await stage.untilStates(Array(4).fill('InService'));
    await stage.pass(10 * minuteMs);
    const StepAdjustments = [step(2, undefined, 0)];
    await put(stage, { PolicyType: 'StepScaling', StepAdjustments, EstimatedInstanceWarmup: 300 });

    await execute(stage, 0, 1);
    await execute(stage, 0, 1);
    await stage.untilStates(Array(6).fill('InService'));
    await execute(stage, 0, 1);
    expect(await desired(stage)).toBe(6);

    await stage.pass(6 * minuteMs);
    await execute(stage, 0, 1);
    expect(await desired(stage)).toBe(8);
  });

  it('[rule 7] warm-up starts when the launch hooks end, not at the launch', async () => {
    const stage = new Stage();
    await stage.group({
      MaxSize: 20,
      LifecycleHookSpecificationList: [hook('launch', 'LAUNCHING', { HeartbeatTimeout: 7200 })],
    });
    await stage.untilStates(['Pending:Wait']);
    await stage.complete('launch', await stage.only());
    await stage.untilStates(['InService']);
    await stage.pass(10 * minuteMs);
    const StepAdjustments = [step(1, undefined, 0)];
    await put(stage, { PolicyType: 'StepScaling', StepAdjustments, EstimatedInstanceWarmup: 300 });
    await execute(stage, 0, 1);
    await stage.untilStates(['InService', 'Pending:Wait']);

    await stage.pass(30 * minuteMs);
    await execute(stage, 0, 1);
    expect(await desired(stage)).toBe(2);

    const launching = (await stage.instances()).find((instance) => instance.LifecycleState === 'Pending:Wait')!;
    await stage.complete('launch', launching.InstanceId!);
    await stage.untilStates(['InService', 'InService']);
    await execute(stage, 0, 1);
    expect(await desired(stage)).toBe(2);
    await stage.pass(6 * minuteMs);
    await execute(stage, 0, 1);
    expect(await desired(stage)).toBe(3);
  });

  it('[rule 7] nothing is scaled in while a scale-out is in progress', async () => {
    const stage = new Stage();
    await stage.group({ DesiredCapacity: 2 });
    await stage.untilStates(['InService', 'InService']);
    await put(stage, { PolicyType: 'StepScaling', StepAdjustments: [step(-1, 0)], EstimatedInstanceWarmup: 300 });

    await execute(stage, 9, 1);
    expect(await desired(stage)).toBe(2);
    await stage.pass(6 * minuteMs);
    await execute(stage, 9, 1);
    expect(await desired(stage)).toBe(1);
  });

  it('[rule 7] terminating instances count while scaling in, so a slow drain is not followed by another', async () => {
    const stage = new Stage();
    const hooks = [hook('drain', 'TERMINATING', { HeartbeatTimeout: 7200 })];
    await stage.group({ DesiredCapacity: 3, LifecycleHookSpecificationList: hooks });
    await stage.untilStates(Array(3).fill('InService'));
    await stage.pass(10 * minuteMs);
    await put(stage, { PolicyType: 'StepScaling', StepAdjustments: [step(-1, 0)] });

    await execute(stage, 9, 1);
    await stage.until('one drains', async () => (await stage.states()).includes('Terminating:Wait'));
    await execute(stage, 9, 1);
    expect(await desired(stage)).toBe(2);
  });

  it('[rule 7] at most twenty steps, without gap or overlap, of one adjustment type', async () => {
    const stage = new Stage();
    await stage.group();
    const steps = (count: number) =>
      Array.from({ length: count }, (_, index) => step(1, index, index === count - 1 ? undefined : index + 1));
    const refused = async (StepAdjustments: PutScalingPolicyType['StepAdjustments'], message: string) =>
      await expect(put(stage, { PolicyType: 'StepScaling', StepAdjustments })).rejects.toThrow(message);

    await put(stage, { PolicyType: 'StepScaling', StepAdjustments: steps(20) });
    await refused(steps(21), 'at most 20 step adjustments');
    await refused([step(1, 0, 2), step(2, 1)], 'overlap');
    await refused([step(1, 0, 1), step(2, 2)], 'gaps');
    await refused([step(1)], 'cannot both be null');
    await refused([step(-1, -5, 0)], 'unspecified lower bound');
    await refused([step(1, 0, 5)], 'unspecified upper bound');
    await refused([], 'At least one StepAdjustment');
    await expect(put(stage, { PolicyType: 'TargetTrackingScaling' })).rejects.toThrow('does not model');
  });

  it('step scaling never leaves the bounds of the group', async () => {
    const stage = new Stage();
    await stage.group({ MinSize: 1, MaxSize: 3 });
    await stage.untilStates(['InService']);
    await stage.pass(10 * minuteMs);
    await put(stage, { PolicyType: 'StepScaling', StepAdjustments: [step(50, 0), step(-50, undefined, 0)] });

    await execute(stage, 9, 1);
    expect(await desired(stage)).toBe(3);
    await stage.untilStates(Array(3).fill('InService'));
    await stage.pass(10 * minuteMs);
    await execute(stage, 0, 1);
    expect(await desired(stage)).toBe(1);
  });
});

describe('simple scaling', () => {
  const honouring = (stage: Stage) =>
    stage.autoscaling.send(
      new ExecutePolicyCommand({ AutoScalingGroupName: 'group', PolicyName: 'policy', HonorCooldown: true }),
    );

  it('[rule 7] the cooldown begins when the last launch hook has ended', async () => {
    const stage = new Stage();
    await stage.group({
      MaxSize: 9,
      DesiredCapacity: 0,
      LifecycleHookSpecificationList: [hook('launch', 'LAUNCHING')],
    });
    await put(stage, { PolicyType: 'SimpleScaling', ScalingAdjustment: 1, Cooldown: 120 });
    await honouring(stage);
    await stage.untilStates(['Pending:Wait']);

    await stage.pass(5 * minuteMs);
    await expect(honouring(stage)).rejects.toThrow('in progress');
    await stage.complete('launch', await stage.only());
    await stage.untilStates(['InService']);
    await expect(honouring(stage)).rejects.toThrow('cooldown');
  });
});

describe('alarms', () => {
  const alarm = { name: 'low', metricValue: 0, threshold: 1 };

  it('an alarm runs its policy unless AlarmNotification is suspended, and the cause names both', async () => {
    const stage = new Stage();
    await stage.group();
    await stage.untilStates(['InService']);
    await stage.pass(10 * minuteMs);
    const arn = await put(stage, { PolicyType: 'StepScaling', StepAdjustments: [step(1, undefined, 0)] });
    const processes = { AutoScalingGroupName: 'group', ScalingProcesses: ['AlarmNotification'] };

    await stage.autoscaling.send(new SuspendProcessesCommand(processes));
    stage.world.aws.autoscaling.executePolicyFromAlarm(arn, alarm);
    expect(await desired(stage)).toBe(1);
    stage.world.aws.autoscaling.scaler.group('group').suspended.clear();
    stage.world.aws.autoscaling.executePolicyFromAlarm(arn, alarm);
    await stage.untilStates(['InService', 'InService']);

    expect((await stage.activities())[0]?.Cause).toContain(
      'a monitor alarm low in state ALARM triggered policy policy changing the desired capacity from 1 to 2.',
    );
  });
});

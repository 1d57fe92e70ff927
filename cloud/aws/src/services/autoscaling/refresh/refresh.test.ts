import {
  CancelInstanceRefreshCommand,
  PutWarmPoolCommand,
  type RefreshPreferences,
  SetInstanceHealthCommand,
  SetInstanceProtectionCommand,
  StartInstanceRefreshCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateVersionCommand } from '@aws-sdk/client-ec2';
import { describe, expect, it } from 'vitest';
import { hook, hourMs, minuteMs, Stage } from '../stage.test-support.ts';

const start = async (stage: Stage, Preferences: RefreshPreferences = {}) =>
  await stage.autoscaling.send(new StartInstanceRefreshCommand({ AutoScalingGroupName: 'group', Preferences }));

const cancel = async (stage: Stage) =>
  await stage.autoscaling.send(new CancelInstanceRefreshCommand({ AutoScalingGroupName: 'group' }));

const protect = async (stage: Stage, InstanceIds: string[], ProtectedFromScaleIn = true) =>
  await stage.autoscaling.send(
    new SetInstanceProtectionCommand({ AutoScalingGroupName: 'group', InstanceIds, ProtectedFromScaleIn }),
  );

const newVersion = async (stage: Stage) =>
  await stage.ec2.send(
    new CreateLaunchTemplateVersionCommand({
      LaunchTemplateName: 'group-template',
      SourceVersion: '$Latest',
      LaunchTemplateData: { InstanceType: 't3a.large' },
    }),
  );

const serving = async (count: number, more: object = {}) => {
  const stage = new Stage();
  await stage.group({ DesiredCapacity: count, ...more });
  await stage.untilStates(Array(count).fill('InService'));
  return { stage, ids: (await stage.instances()).map((instance) => instance.InstanceId!) };
};

const status = async (stage: Stage) => (await stage.refresh()).Status;

describe('instance refresh', () => {
  it('replaces every instance, one at a time at 100 %, and reports its progress', async () => {
    const { stage, ids } = await serving(3);
    await newVersion(stage);
    await start(stage, { MinHealthyPercentage: 100, InstanceWarmup: 60 });

    let fewest = 3;
    await stage.until('it is over', async () => {
      const states = await stage.states();
      fewest = Math.min(fewest, states.filter((state) => state === 'InService').length);
      return (await status(stage)) === 'Successful';
    });

    expect(fewest).toBe(2);
    expect(await stage.refresh()).toMatchObject({ PercentageComplete: 100, InstancesToUpdate: 0 });
    const after = await stage.instances();
    expect(after.map((instance) => instance.InstanceType)).toEqual(Array(3).fill('t3a.large'));
    expect(after.some((instance) => ids.includes(instance.InstanceId!))).toBe(false);
  });

  it('an instance refresh with a maximum launches the new instance before the old one goes', async () => {
    const { stage } = await serving(2, { MaxSize: 2 });
    await start(stage, { MinHealthyPercentage: 100, MaxHealthyPercentage: 110 });

    let fewest = 2;
    let most = 0;
    await stage.until('it is over', async () => {
      const instances = await stage.instances();
      fewest = Math.min(fewest, instances.filter((instance) => instance.LifecycleState === 'InService').length);
      most = Math.max(most, instances.filter((instance) => !instance.LifecycleState!.startsWith('Term')).length);
      return (await status(stage)) === 'Successful';
    });

    expect(fewest).toBe(2);
    expect(most).toBe(3);
  });

  it('replaces an instance that becomes unhealthy meanwhile, before a healthy one goes', async () => {
    const policy = { MinHealthyPercentage: 100, MaxHealthyPercentage: 120 };
    const { stage, ids } = await serving(5, { InstanceMaintenancePolicy: policy, MaxSize: 6 });
    await start(stage, policy);
    await stage.until('one launches', async () => (await stage.states()).includes('Pending'));
    const InstanceId = ids.at(-1)!;
    await stage.autoscaling.send(new SetInstanceHealthCommand({ InstanceId, HealthStatus: 'Unhealthy' }));
    const serves = async () => {
      const instances = await stage.instances();
      return instances.filter((i) => i.LifecycleState === 'InService' && i.HealthStatus === 'Healthy').length;
    };
    await stage.until('five serve again', async () => (await serves()) >= 5);

    let fewest = 5;
    await stage.until('it is over', async () => {
      fewest = Math.min(fewest, await serves());
      return (await status(stage)) !== 'InProgress';
    });

    expect(await status(stage)).toBe('Successful');
    expect(fewest).toBe(5);
  });

  it('skips instances that match when asked to', async () => {
    const { stage, ids } = await serving(2);

    await start(stage, { SkipMatching: true });
    await stage.until('it is over', async () => (await status(stage)) === 'Successful');

    expect((await stage.instances()).map((instance) => instance.InstanceId)).toEqual(ids);
  });

  it('[rule 8] by default waits for a protected instance, replaces the others, and fails after an hour', async () => {
    const { stage, ids } = await serving(2);
    await protect(stage, [ids[0]!]);
    await start(stage);

    await stage.untilState(ids[1]!, undefined);
    await stage.pass(50 * minuteMs);
    expect(await status(stage)).toBe('InProgress');
    await stage.pass(20 * minuteMs);

    expect(await status(stage)).toBe('Failed');
    expect(await stage.stateOf(ids[0]!)).toBe('InService');
  });

  it('[rule 8] instance refresh goes on when the protection is lifted within the hour', async () => {
    const { stage, ids } = await serving(2);
    await protect(stage, [ids[0]!]);
    await start(stage);
    await stage.untilState(ids[1]!, undefined);
    await stage.pass(30 * minuteMs);

    await protect(stage, [ids[0]!], false);
    await stage.until('it is over', async () => (await status(stage)) === 'Successful');

    await stage.untilState(ids[0]!, undefined);
  });

  it('[rule 8] with Refresh replaces protected instances, with Ignore leaves them and succeeds', async () => {
    const replacing = await serving(2);
    await protect(replacing.stage, replacing.ids);
    await start(replacing.stage, { ScaleInProtectedInstances: 'Refresh' });
    await replacing.stage.until('it is over', async () => (await status(replacing.stage)) === 'Successful');
    for (const id of replacing.ids) await replacing.stage.untilState(id, undefined);

    const ignoring = await serving(2);
    await protect(ignoring.stage, [ignoring.ids[0]!]);
    await start(ignoring.stage, { ScaleInProtectedInstances: 'Ignore' });
    await ignoring.stage.until('it is over', async () => (await status(ignoring.stage)) === 'Successful');
    expect(await ignoring.stage.stateOf(ignoring.ids[0]!)).toBe('InService');
    await ignoring.stage.untilState(ignoring.ids[1]!, undefined);
  });

  it('[rule 8] a cancelled refresh lets the replacement under way end, stops there and rolls nothing back', async () => {
    const hooks = [hook('launch', 'LAUNCHING', { HeartbeatTimeout: 7200 })];
    const stage = new Stage();
    await stage.group({ DesiredCapacity: 2, LifecycleHookSpecificationList: hooks });
    await stage.untilStates(['Pending:Wait', 'Pending:Wait']);
    const ids = (await stage.instances()).map((instance) => instance.InstanceId!);
    for (const id of ids) await stage.complete('launch', id);
    await stage.untilStates(['InService', 'InService']);
    await newVersion(stage);

    await start(stage, { MinHealthyPercentage: 50 });
    await stage.untilStates(['InService', 'Pending:Wait']);
    await cancel(stage);
    expect(await status(stage)).toBe('Cancelling');
    await stage.pass(hourMs);
    expect(await status(stage)).toBe('Cancelling');
    const launching = (await stage.instances()).find((instance) => instance.LifecycleState === 'Pending:Wait')!;
    await stage.complete('launch', launching.InstanceId!);
    await stage.until('it is cancelled', async () => (await status(stage)) === 'Cancelled');
    await stage.pass(hourMs);

    const types = (await stage.instances()).map((instance) => instance.InstanceType).sort();
    expect(types).toEqual(['t3a.large', 't3a.medium']);
  });

  it('refuses a second one, and a cancel without one', async () => {
    const { stage } = await serving(1);
    await expect(cancel(stage)).rejects.toMatchObject({ name: 'ActiveInstanceRefreshNotFoundFault' });

    await start(stage);
    await expect(start(stage)).rejects.toMatchObject({ name: 'InstanceRefreshInProgressFault' });
  });

  it('replaces the warm pool after the group', async () => {
    const { stage } = await serving(1, { MaxSize: 2 });
    await stage.autoscaling.send(new PutWarmPoolCommand({ AutoScalingGroupName: 'group' }));
    const pooled = async () => (await stage.pool()).filter((instance) => instance.LifecycleState === 'Warmed:Stopped');
    await stage.until('the pool is full', async () => (await pooled()).length === 1);
    const before = (await pooled())[0]!.InstanceId;

    await start(stage);
    await stage.until('it is over', async () => (await status(stage)) === 'Successful');
    await stage.until('the pool is full again', async () => (await pooled()).length === 1);

    expect((await pooled())[0]!.InstanceId).not.toBe(before);
  });
});

import {
  SetDesiredCapacityCommand,
  SetInstanceProtectionCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { describe, expect, it } from 'vitest';
import { hook, minuteMs, Stage } from '../stage.test-support.ts';

const protect = async (stage: Stage, InstanceIds: string[], ProtectedFromScaleIn = true) =>
  await stage.autoscaling.send(
    new SetInstanceProtectionCommand({ AutoScalingGroupName: 'group', InstanceIds, ProtectedFromScaleIn }),
  );

const setDesired = async (stage: Stage, DesiredCapacity: number) =>
  await stage.autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'group', DesiredCapacity }));

const serving = async (count: number) => {
  const stage = new Stage();
  await stage.group({ DesiredCapacity: count });
  await stage.untilStates(Array(count).fill('InService'));
  return { stage, ids: (await stage.instances()).map((instance) => instance.InstanceId!) };
};

describe('scale-in protection', () => {
  it('[rule 5] scale-in protection is refused while the instance launches or terminates', async () => {
    const stage = new Stage();
    const hooks = [hook('launch', 'LAUNCHING'), hook('drain', 'TERMINATING')];
    await stage.group({ LifecycleHookSpecificationList: hooks });
    await stage.untilStates(['Pending:Wait']);
    const instance = await stage.only();
    const refused = {
      name: 'ValidationError',
      message: `The instance ${instance} is not in InService or EnteringStandby or Standby.`,
    };
    await expect(protect(stage, [instance])).rejects.toMatchObject(refused);

    await stage.complete('launch', instance);
    await stage.untilState(instance, 'InService');
    await protect(stage, [instance]);
    const terminate = { InstanceId: instance, ShouldDecrementDesiredCapacity: true };
    await stage.autoscaling.send(new TerminateInstanceInAutoScalingGroupCommand(terminate));
    await stage.untilState(instance, 'Terminating:Wait');
    await expect(protect(stage, [instance], false)).rejects.toMatchObject(refused);
  });

  it('[rule 5] scale-in protection is refused for an instance of another group', async () => {
    const { stage } = await serving(1);
    await expect(protect(stage, ['i-0123456789abcdef0'])).rejects.toThrow('is not part of Auto Scaling group group.');
  });

  it('[rule 5] scale-in takes the unprotected instance, and waits when all are protected', async () => {
    const { stage, ids } = await serving(3);
    await protect(stage, ids.slice(0, 2));

    await setDesired(stage, 0);
    await stage.until('one is gone', async () => (await stage.instances()).length === 2);
    await stage.pass(30 * minuteMs);
    expect((await stage.instances()).map((instance) => instance.InstanceId).sort()).toEqual(ids.slice(0, 2).sort());
    expect((await stage.describe()).DesiredCapacity).toBe(0);
    expect((await stage.activities())[0]).toMatchObject({
      Description: 'Could not scale to desired capacity because all remaining instances are protected from scale-in.',
    });

    await protect(stage, ids.slice(0, 2), false);
    await stage.untilStates([]);
  });

  it('[rule 5] scale-in protection does not stop a manual terminate through the group or through EC2', async () => {
    const { stage, ids } = await serving(2);
    await protect(stage, ids);

    const terminate = { InstanceId: ids[0]!, ShouldDecrementDesiredCapacity: false };
    await stage.autoscaling.send(new TerminateInstanceInAutoScalingGroupCommand(terminate));
    await stage.ec2.send(new TerminateInstancesCommand({ InstanceIds: [ids[1]!] }));

    await stage.untilState(ids[0]!, undefined);
    await stage.untilState(ids[1]!, undefined);
    await stage.untilStates(['InService', 'InService']);
  });

  it('new instances inherit the setting of the group when they come into service', async () => {
    const stage = new Stage();
    await stage.group({ NewInstancesProtectedFromScaleIn: true });
    await stage.untilStates(['InService']);

    expect(await stage.instances()).toMatchObject([{ ProtectedFromScaleIn: true }]);
  });
});

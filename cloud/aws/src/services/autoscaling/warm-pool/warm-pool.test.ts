import {
  DeleteWarmPoolCommand,
  DescribeWarmPoolCommand,
  PutWarmPoolCommand,
  type PutWarmPoolType,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { BootProgram } from '@drover/cloud-machines';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../../cloudformation/testing/make-resource.ts';
import { hook, minuteMs, Stage } from '../stage.test-support.ts';

const put = async (stage: Stage, more: Partial<PutWarmPoolType> = {}) =>
  await stage.autoscaling.send(new PutWarmPoolCommand({ AutoScalingGroupName: 'group', ...more }));

const setDesired = async (stage: Stage, DesiredCapacity: number) =>
  await stage.autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'group', DesiredCapacity }));

const poolStates = async (stage: Stage) => (await stage.pool()).map((instance) => instance.LifecycleState).sort();

const untilPool = async (stage: Stage, states: readonly string[]) =>
  await stage.until(`pool ${states}`, async () => String(await poolStates(stage)) === String(states));

const pooledOne = async (stage: Stage) => (await stage.pool())[0]!.InstanceId!;

const hibernating: RequestLaunchTemplateData = {
  HibernationOptions: { Configured: true },
  BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 30, Encrypted: true } }],
};

describe('warm pool lifecycle', () => {
  it('a warm pool state that AWS does not know is refused, by the API and in a template', async () => {
    const stage = new Stage();
    await stage.template();
    await stage.group({ DesiredCapacity: 0 });
    const pool = { AutoScalingGroupName: 'group', PoolState: 'Frozen' };

    await expect(put(stage, { PoolState: 'Frozen' as 'Stopped' })).rejects.toThrow(/poolState.*enum value set/);
    await expect((async () => makeResource(stage.world, 'AWS::AutoScaling::WarmPool', pool))()).rejects.toThrow(
      /poolState.*enum value set/,
    );
  });

  it('[rule 4] a hibernated instance goes on where it was: its boot program does not run again and its clock has jumped', async () => {
    const stage = new Stage();
    const boots: number[] = [];
    const ticks: number[] = [];
    const program: BootProgram = async ({ clock }) => {
      boots.push(clock.now());
      for (;;) {
        await clock.sleep(10_000);
        ticks.push(clock.now());
      }
    };
    stage.world.machines.onBoot(() => true, program);
    // The pool does not wait for the operating system: a hook gives it time to come up.
    const boot = hook('boot', 'LAUNCHING', { HeartbeatTimeout: 120, DefaultResult: 'CONTINUE' });
    await stage.group({ DesiredCapacity: 0, LifecycleHookSpecificationList: [boot] }, hibernating);

    await put(stage, { MinSize: 1, MaxGroupPreparedCapacity: 1, PoolState: 'Hibernated' });
    await untilPool(stage, ['Warmed:Hibernated']);
    const InstanceId = await pooledOne(stage);
    expect(await stage.power(InstanceId)).toBe('stopped');
    const frozenAfter = ticks.length;
    await stage.pass(60 * minuteMs);
    expect(ticks.length).toBe(frozenAfter);

    await put(stage, { MinSize: 0, MaxGroupPreparedCapacity: 1 });
    await setDesired(stage, 1);
    await stage.untilState(InstanceId, 'InService');
    await stage.pass(5 * minuteMs);

    expect(boots).toHaveLength(1);
    expect(ticks.length).toBeGreaterThan(frozenAfter);
  });

  it('[rule 4] without HibernationOptions the instance stays running and the activity has failed', async () => {
    const stage = new Stage();
    await stage.group({ DesiredCapacity: 0 });

    await put(stage, { MinSize: 1, MaxGroupPreparedCapacity: 1, PoolState: 'Hibernated' });
    await untilPool(stage, ['Warmed:Running']);

    const InstanceId = await pooledOne(stage);
    expect(await stage.power(InstanceId)).toBe('running');
    const [activity] = await stage.activities();
    expect(activity).toMatchObject({ StatusCode: 'Failed' });
    expect(activity?.StatusMessage).toContain('was not launched with hibernation enabled');
  });

  it('[rule 4] a machine that fails to hibernate is seen running in the pool', async () => {
    const stage = new Stage();
    stage.fault({ service: 'machine', effect: { kind: 'failed-hibernation' } });
    await stage.group({ DesiredCapacity: 0 }, hibernating);

    await put(stage, { MinSize: 1, MaxGroupPreparedCapacity: 1, PoolState: 'Hibernated' });
    await untilPool(stage, ['Warmed:Running']);

    const InstanceId = await pooledOne(stage);
    expect(await stage.power(InstanceId)).toBe('running');
  });

  it('pooled instances are not instances of the group, but DescribeAutoScalingInstances knows them', async () => {
    const stage = new Stage();
    await stage.group({ DesiredCapacity: 0 });
    await put(stage, { MinSize: 1, MaxGroupPreparedCapacity: 1 });
    await untilPool(stage, ['Warmed:Stopped']);

    const InstanceId = await pooledOne(stage);
    expect(await stage.describe()).toMatchObject({ Instances: [], WarmPoolSize: 1 });
    expect(await stage.stateOf(InstanceId)).toBe('Warmed:Stopped');
    const terminate = { InstanceId, ShouldDecrementDesiredCapacity: false };
    await expect(stage.autoscaling.send(new TerminateInstanceInAutoScalingGroupCommand(terminate))).rejects.toThrow(
      'warm pool',
    );
  });

  it('scale-in with a reuse policy returns the instance to the pool through its termination hooks', async () => {
    const stage = new Stage();
    await stage.group({ MaxSize: 1, LifecycleHookSpecificationList: [hook('drain', 'TERMINATING')] });
    await put(stage, { InstanceReusePolicy: { ReuseOnScaleIn: true } });
    await stage.untilStates(['InService']);
    const instance = await stage.only();

    await setDesired(stage, 0);
    await stage.untilState(instance, 'Warmed:Pending:Wait');
    await stage.complete('drain', instance);
    await stage.untilState(instance, 'Warmed:Stopped');
    await setDesired(stage, 1);
    await stage.untilState(instance, 'InService');
  });
});

describe('warm pool size', () => {
  it('[rule 6] by default the pool fills the gap to the maximum size, and MinSize holds whatever the group needs', async () => {
    const stage = new Stage();
    await stage.group({ MaxSize: 3, DesiredCapacity: 1 });
    await put(stage);
    await untilPool(stage, ['Warmed:Stopped', 'Warmed:Stopped']);

    await put(stage, { MinSize: 1 });
    await setDesired(stage, 3);
    await stage.untilStates(['InService', 'InService', 'InService']);
    await stage.pass(10 * minuteMs);

    expect(await poolStates(stage)).toEqual(['Warmed:Stopped']);
  });

  it('[rule 6] spot and warm pool exclude each other, whichever comes first', async () => {
    const stage = new Stage();
    await stage.template({}, 'mixed');
    const MixedInstancesPolicy = {
      LaunchTemplate: { LaunchTemplateSpecification: { LaunchTemplateName: 'mixed', Version: '1' } },
      InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 0 },
    };
    await stage.group({ AutoScalingGroupName: 'group', MixedInstancesPolicy });
    await expect(put(stage)).rejects.toMatchObject({ name: 'ValidationError', message: /mixed instances policy/ });

    const other = new Stage();
    await other.template({}, 'mixed');
    await other.group();
    await put(other);
    await expect(
      other.autoscaling.send(
        new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'group', MixedInstancesPolicy }),
      ),
    ).rejects.toThrow('mixed instances policy');

    const spot = new Stage();
    await spot.group({}, { InstanceMarketOptions: { MarketType: 'spot' } });
    await expect(put(spot)).rejects.toThrow('Spot');
  });

  it('an emptied pool leads to cold starts', async () => {
    const stage = new Stage();
    await stage.group({ MaxSize: 3, DesiredCapacity: 0 });
    await put(stage, { MaxGroupPreparedCapacity: 1 });
    await untilPool(stage, ['Warmed:Stopped']);

    await setDesired(stage, 2);
    await stage.untilStates(['InService', 'InService']);

    const descriptions = (await stage.activities()).map((activity) => activity.Description?.replace(/: .*/, ''));
    expect(descriptions).toContain('Launching a new EC2 instance from warm pool');
    expect(descriptions).toContain('Launching a new EC2 instance');
  });

  it('a pool with instances is deleted only by force, and goes with its last instance', async () => {
    const stage = new Stage();
    await stage.group();
    await put(stage, { MinSize: 1, MaxGroupPreparedCapacity: 2 });
    await untilPool(stage, ['Warmed:Stopped']);

    const remove = (ForceDelete: boolean) =>
      stage.autoscaling.send(new DeleteWarmPoolCommand({ AutoScalingGroupName: 'group', ForceDelete }));
    await expect(remove(false)).rejects.toMatchObject({ name: 'ResourceInUseFault' });
    await remove(true);
    const described = await stage.autoscaling.send(new DescribeWarmPoolCommand({ AutoScalingGroupName: 'group' }));
    expect(described.WarmPoolConfiguration?.Status).toBe('PendingDelete');
    await stage.until('the pool is gone', async () => (await stage.describe()).WarmPoolConfiguration === undefined);
    expect(await stage.states()).toEqual(['InService']);
  });

  it('propagated tags reach instances of the pool', async () => {
    const stage = new Stage();
    await stage.group({ DesiredCapacity: 0, Tags: [{ Key: 'team', Value: 'ci', PropagateAtLaunch: true }] });
    await put(stage, { MinSize: 1, MaxGroupPreparedCapacity: 1 });
    await untilPool(stage, ['Warmed:Stopped']);

    const InstanceId = await pooledOne(stage);
    expect(stage.world.aws.ec2.instances.get(InstanceId)?.tags).toMatchObject({
      team: 'ci',
      'aws:autoscaling:groupName': 'group',
    });
  });
});

import {
  DescribeAutoScalingGroupsCommand,
  SetDesiredCapacityCommand,
  SetInstanceProtectionCommand,
} from '@aws-sdk/client-auto-scaling';
import { describe, expect, it } from 'vitest';
import { hook, minuteMs, Stage } from '../stage.test-support.ts';

const AutoScalingGroupName = 'group';

const spotGroup = async (more: object = {}) => {
  const stage = new Stage();
  await stage.template({}, 'spot');
  await stage.group({
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateName: 'spot', Version: '$Latest' },
        Overrides: [{ InstanceType: 't3a.medium' }, { InstanceType: 't3.medium' }],
      },
      InstancesDistribution: { OnDemandBaseCapacity: 1, OnDemandPercentageAboveBaseCapacity: 0 },
    },
    DesiredCapacity: 3,
    LifecycleHookSpecificationList: [hook('drain', 'TERMINATING', { HeartbeatTimeout: 3600 })],
    ...more,
  });
  await stage.untilStates(Array(3).fill('InService'));
  const ids = (await stage.instances()).map((instance) => instance.InstanceId!);
  const { instances } = stage.world.aws.ec2;
  return { stage, spot: ids.filter((id) => instances.get(id)!.spot) };
};

describe('spot instances', () => {
  it('stand above the on-demand base; DescribeAutoScalingGroups shows the two pools of lowest-price', async () => {
    const { stage, spot } = await spotGroup();
    expect(spot).toHaveLength(2);
    const { AutoScalingGroups } = await stage.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
    expect(AutoScalingGroups?.[0]?.MixedInstancesPolicy?.InstancesDistribution).toMatchObject({
      SpotAllocationStrategy: 'lowest-price',
      SpotInstancePools: 2,
    });
  });

  it('[rule 11] without capacity rebalancing the group does nothing until the instance is gone', async () => {
    const { stage, spot } = await spotGroup();
    const [instance] = spot as [string];

    stage.world.aws.ec2.reclaimSpot(instance);
    await stage.pass(1.9 * minuteMs);
    expect(await stage.stateOf(instance)).toBe('InService');

    await stage.untilState(instance, 'Terminating:Wait', 5 * minuteMs);
    expect(await stage.power(instance)).toMatch(/shutting-down|terminated/);
    await stage.until(
      'it is replaced',
      async () => (await stage.states()).filter((s) => s === 'InService').length === 3,
    );
  });

  it('spot instances are replaced at the interruption notice with capacity rebalancing, before they are gone', async () => {
    const { stage, spot } = await spotGroup({ CapacityRebalance: true });
    const [instance] = spot as [string];

    stage.world.aws.ec2.reclaimSpot(instance);

    await stage.untilState(instance, 'Terminating:Wait', minuteMs);
    expect(await stage.power(instance)).toBe('running');
  });

  it('a rebalance recommendation makes a group with capacity rebalancing launch a spot instance, then end the one at risk, protected or not', async () => {
    for (const CapacityRebalance of [true, false]) {
      const { stage, spot } = await spotGroup({ CapacityRebalance, MaxSize: 3 });
      const [instance] = spot as [string];
      await stage.autoscaling.send(
        new SetInstanceProtectionCommand({ AutoScalingGroupName, InstanceIds: [instance], ProtectedFromScaleIn: true }),
      );

      stage.world.aws.ec2.recommendRebalance(instance);
      await stage.pass(20 * minuteMs);

      expect(await stage.stateOf(instance)).toBe(CapacityRebalance ? 'Terminating:Wait' : 'InService');
      expect((await stage.states()).filter((state) => state === 'InService')).toHaveLength(3);
    }
  });

  it('[rule 11] a fault plan can reclaim them', async () => {
    const { stage, spot } = await spotGroup();
    stage.fault({ service: 'machine', subject: spot[0]!, times: 1, effect: { kind: 'spot-reclaim' } });

    await stage.until('it is gone', async () => (await stage.power(spot[0]!)) === 'terminated');

    expect(await stage.power(spot[1]!)).toBe('running');
  });
});

describe('launches of a group with spot instances', () => {
  /** The message of the newest launch that failed. */
  const refusedFor = async (code: string | undefined) => {
    const { stage } = await spotGroup({ MaxSize: 6 });
    stage.fault({
      service: 'autoscaling',
      operation: 'Launch',
      effect: { kind: 'error', ...(code === undefined ? {} : { code }) },
    });
    await stage.autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity: 4 }));
    await stage.pass(minuteMs);
    return (await stage.activities()).filter(({ StatusCode }) => StatusCode === 'Failed').at(0)?.StatusMessage;
  };

  it('[rule 34] a spot launch is refused in words of its own, by a quota of its own and not by that of on-demand instances', async () => {
    const words = (why: string) => `Could not launch Spot Instances. ${why} Launching EC2 instance failed.`;

    expect(await refusedFor('MaxSpotInstanceCountExceeded')).toBe(
      words('MaxSpotInstanceCountExceeded - Max spot instance count exceeded.'),
    );
    expect(await refusedFor(undefined)).toBe(
      words('InsufficientInstanceCapacity - There is no Spot capacity available that matches your request.'),
    );
    expect(await refusedFor('VcpuLimitExceeded')).toBeUndefined();
  });
});

describe('on-demand instances of several types', () => {
  const typesOf = async (stage: Stage) => (await stage.instances()).map(({ InstanceType }) => InstanceType).sort();
  const several = async (rule: { readonly subject: string }) => {
    const stage = new Stage();
    await stage.template({}, 'several');
    stage.fault({ service: 'autoscaling', operation: 'Launch', ...rule, effect: { kind: 'error' } });
    await stage.group({
      MixedInstancesPolicy: {
        LaunchTemplate: {
          LaunchTemplateSpecification: { LaunchTemplateName: 'several', Version: '$Latest' },
          Overrides: [{ InstanceType: 't3a.medium' }, { InstanceType: 't3.medium' }],
        },
        InstancesDistribution: {
          OnDemandAllocationStrategy: 'prioritized',
          OnDemandPercentageAboveBaseCapacity: 100,
        },
      },
      DesiredCapacity: 2,
    });
    await stage.untilStates(['InService', 'InService']);
    return stage;
  };

  it('on-demand instances are of the first type while there is capacity of it', async () => {
    expect(await typesOf(await several({ subject: 'another group' }))).toEqual(['t3a.medium', 't3a.medium']);
  });

  it('on-demand instances are of the next type when there is no capacity of the first', async () => {
    expect(await typesOf(await several({ subject: 't3a.medium' }))).toEqual(['t3.medium', 't3.medium']);
  });
});

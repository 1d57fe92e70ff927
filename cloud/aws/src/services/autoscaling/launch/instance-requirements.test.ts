import { DescribeAutoScalingGroupsCommand, type InstanceRequirements } from '@aws-sdk/client-auto-scaling';
import { describe, expect, it } from 'vitest';
import { minuteMs, Stage } from '../stage.test-support.ts';

const twoCores: InstanceRequirements = { VCpuCount: { Min: 2, Max: 2 }, MemoryMiB: { Min: 4096, Max: 8192 } };
const onDemand = { OnDemandPercentageAboveBaseCapacity: 100 };
const spot = { OnDemandPercentageAboveBaseCapacity: 0, SpotAllocationStrategy: 'price-capacity-optimized' };

const open = async (data: object = {}) => {
  const stage = new Stage();
  await stage.template(data, 'any');
  return stage;
};
const groupOf = (
  stage: Stage,
  InstanceRequirements: InstanceRequirements,
  InstancesDistribution: object = onDemand,
  DesiredCapacity = 1,
  override: object = {},
) =>
  stage.group({
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateName: 'any', Version: '$Latest' },
        Overrides: [{ InstanceRequirements, ...override }],
      },
      InstancesDistribution,
    },
    DesiredCapacity,
    MaxSize: 20,
  });
const typesOf = async (stage: Stage) => (await stage.instances()).map(({ InstanceType }) => InstanceType);
/** The types of a new group's first instances. */
const launched = async (requirements: InstanceRequirements, distribution?: object, data?: object) => {
  const stage = await open(data);
  await groupOf(stage, requirements, distribution);
  await stage.untilStates(['InService']);
  return typesOf(stage);
};

describe('a group whose instance types are described by what they need to have', () => {
  it('[rule 45] launches on demand the cheapest type that meets the requirements, and no burstable one unless asked', async () => {
    expect(await launched(twoCores)).toEqual(['c6a.large']);
    expect(await launched({ ...twoCores, BurstablePerformance: 'included' })).toEqual(['t3a.medium']);
    expect(await launched({ ...twoCores, BurstablePerformance: 'required' })).toEqual(['t3a.medium']);
    expect(await launched({ ...twoCores, MemoryMiB: { Min: 16384 } })).toEqual(['r5a.large']);
  });

  it('[rule 45] launches types of the processor that the image of the launch template has, and no others', async () => {
    expect(await launched(twoCores, onDemand, { ImageId: 'ami-0a10000000000a202' })).toEqual(['c6g.large']);
  });

  it('[rule 45] types can be excluded or allowed by names with wild cards', async () => {
    expect(await launched({ ...twoCores, ExcludedInstanceTypes: ['c*', 'm5a.*'] })).toEqual(['m6a.large']);
    expect(await launched({ ...twoCores, AllowedInstanceTypes: ['m7i.*', 'm7a.large'] })).toEqual(['m7i.large']);
  });

  it('[rule 45] launches the next type when there is no capacity of the first, and none that costs 20 % more than the cheapest', async () => {
    const stage = await open();
    for (const subject of ['c6a.large', 'c6i.large', 'c5.large'])
      stage.fault({ service: 'autoscaling', operation: 'Launch', subject, effect: { kind: 'error' } });
    await groupOf(stage, twoCores);
    await stage.untilStates(['InService']);
    expect(await typesOf(stage)).toEqual(['m5a.large']);

    const dear = await open();
    for (const subject of ['c6a', 'c6i', 'c5', 'm5a', 'm6a', 'c7i'])
      dear.fault({
        service: 'autoscaling',
        operation: 'Launch',
        subject: `${subject}.large`,
        effect: { kind: 'error' },
      });
    await groupOf(dear, twoCores);
    await dear.pass(10 * minuteMs);
    expect(await typesOf(dear)).toEqual([]);
  });

  it('[rule 45] spot instances are of several types, and a threshold above the lowest price makes them fewer', async () => {
    const stage = await open();
    await groupOf(stage, twoCores, spot, 12);
    await stage.untilStates(Array(12).fill('InService'));
    expect(new Set(await typesOf(stage)).size).toBeGreaterThan(3);

    const cheap = await open();
    await groupOf(cheap, { ...twoCores, SpotMaxPricePercentageOverLowestPrice: 0 }, spot, 12);
    await cheap.untilStates(Array(12).fill('InService'));
    expect(new Set(await typesOf(cheap))).toEqual(new Set(['c6a.large']));
  });

  it('requirements that no type meets launch nothing, and the activity says so', async () => {
    const stage = await open();
    await groupOf(stage, { ...twoCores, InstanceGenerations: ['previous'] });
    await stage.pass(minuteMs);

    expect(await typesOf(stage)).toEqual([]);
    expect((await stage.activities()).at(-1)?.StatusMessage).toContain('No instance type meets');
  });

  it('DescribeAutoScalingGroups shows the requirements as they were given, and lowest-price as the strategy', async () => {
    const stage = await open();
    const requirements = { ...twoCores, ExcludedInstanceTypes: ['c*'], OnDemandMaxPricePercentageOverLowestPrice: 50 };
    await groupOf(stage, requirements);
    const { AutoScalingGroups } = await stage.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));

    expect(AutoScalingGroups?.[0]?.MixedInstancesPolicy).toMatchObject({
      LaunchTemplate: { Overrides: [{ InstanceRequirements: requirements }] },
      InstancesDistribution: { OnDemandAllocationStrategy: 'lowest-price' },
    });
  });

  it.each([
    [
      'a type beside them',
      twoCores,
      onDemand,
      { InstanceType: 't3.large' },
      'The parameter InstanceType cannot be used in a launch template override using instance requirements',
    ],
    [
      'an order of types on demand',
      twoCores,
      { ...onDemand, OnDemandAllocationStrategy: 'prioritized' },
      {},
      'The specified OnDemandAllocationStrategy is not valid. The prioritized allocation strategy is not compatible with instance requirements. Valid options are [lowest-price].',
    ],
    [
      'an order of types on spot',
      twoCores,
      { ...spot, SpotAllocationStrategy: 'capacity-optimized-prioritized' },
      {},
      'The capacity-optimized-prioritized allocation strategy is not compatible with instance requirements',
    ],
    [
      'allowed and excluded types',
      { ...twoCores, AllowedInstanceTypes: ['m5*'], ExcludedInstanceTypes: ['m5a*'] },
      onDemand,
      {},
      'You can specify either AllowedInstanceTypes or ExcludedInstanceTypes, but not both',
    ],
    [
      'a minimum above its maximum',
      { ...twoCores, VCpuCount: { Min: 4, Max: 2 } },
      onDemand,
      {},
      'Invalid instance requirements. The Min value (4) in VCpuCount must be less or equal to the Max value (2)',
    ],
    ['no memory', { VCpuCount: { Min: 2 } } as InstanceRequirements, onDemand, {}, 'memoryMiB'],
    [
      'what is not modelled',
      { ...twoCores, LocalStorage: 'required' as const },
      onDemand,
      {},
      'the embedded cloud does not model the instance requirement LocalStorage',
    ],
  ])('[rule 45] instance requirements are refused with %s', async (_, requirements, distribution, override, words) => {
    const stage = await open();

    await expect(groupOf(stage, requirements, distribution, 1, override)).rejects.toThrow(words);
  });
});

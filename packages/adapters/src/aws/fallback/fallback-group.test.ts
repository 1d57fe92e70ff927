import { expect, it } from 'vitest';
import { scriptedCalls } from '../scripted-calls.test-support.ts';
import { groupWithFallback } from './fallback-group.ts';

const member = (InstanceId: string, Version: string) => ({
  InstanceId,
  LifecycleState: 'InService',
  LaunchTemplate: { Version },
});
const main = {
  AutoScalingGroupName: 'ci',
  MinSize: 0,
  MaxSize: 9,
  DesiredCapacity: 2,
  LaunchTemplate: { Version: '7' },
  Instances: [member('i-a', '7'), member('i-b', '6')],
  SuspendedProcesses: [{ ProcessName: 'AZRebalance' }],
};
const fallback = {
  AutoScalingGroupName: 'ci-od',
  MinSize: 0,
  MaxSize: 8,
  DesiredCapacity: 3,
  LaunchTemplate: { Version: '2' },
  Instances: [member('i-c', '2'), member('i-d', '1')],
  Tags: [{ Key: 'drover:fallback-of', Value: 'ci' }],
};
const read = async (...AutoScalingGroups: object[]) => {
  const { aws } = scriptedCalls({ DescribeAutoScalingGroups: { AutoScalingGroups } });
  const { group, groups } = groupWithFallback(aws, 'ci');
  return { facts: await group.read(), groups };
};

it('a group and its on-demand fallback are read as one, and each instance is known to be in one of them', async () => {
  const { facts, groups } = await read(fallback, main);

  expect(facts).toMatchObject({
    name: 'ci',
    maxSize: 9,
    desiredCapacity: 5,
    fallback: { desiredCapacity: 3, maxSize: 8 },
    suspendedProcesses: [],
  });
  expect(
    facts.instances.map(({ id, isFallback = false, launchTemplateVersion }) => [id, isFallback, launchTemplateVersion]),
  ).toEqual([
    ['i-a', false, '7'],
    ['i-b', false, '6'],
    ['i-c', true, '7'],
    ['i-d', true, '1 of the fallback'],
  ]);
  expect([groups.of('i-a'), groups.of('i-c'), groups.of('i-unknown')]).toEqual(['ci', 'ci-od', 'ci']);
  expect(groups.names).toEqual(['ci', 'ci-od']);
});

it('a group without the tag that is named like a fallback is none', async () => {
  const { facts, groups } = await read(main, { ...fallback, Tags: [] });

  expect([facts.desiredCapacity, facts.fallback, groups.names]).toEqual([2, undefined, ['ci']]);
});

import { expect, it } from 'vitest';
import { crashEverywhere, oneCrashACall } from './support/crash.ts';
import { otherStories } from './support/crash-stories.ts';

const acts = /^(PutObject|SetDesired|Terminate|Complete)/;

it('a commission may die at every call: its unit starts it again, and the node serves within half an hour', {
  timeout: 600_000,
}, async () => {
  const { calls, failures } = await crashEverywhere('commission', otherStories.commission);

  expect(failures).toEqual([]);
  expect(calls.length).toBeGreaterThan(15);
});

it('reap may die at every call: the next one clears what is left', { timeout: 600_000 }, async () => {
  const { calls, failures } = await crashEverywhere('reap', otherStories.reap);

  expect(failures).toEqual([]);
  expect(calls.length).toBeGreaterThan(10);
  expect(calls).toContain('PutMetricData');
});

it('spreading the masters may die at each of its acts: the next pass finishes or undoes it, no surplus stays, and no vote is lost', {
  timeout: 600_000,
}, async () => {
  const { calls, failures } = await crashEverywhere(
    'spreading the masters',
    otherStories['spreading the masters'],
    // Questions, and the other phase of each act: `npm run campaign -- --scenario crash`.
    (all) => oneCrashACall(all).filter(({ at }) => acts.test(all[at.call]!)),
  );

  expect(failures).toEqual([]);
  // One attempt without capacity in the zone, one with it.
  expect(calls.filter((call) => /^(Set|Terminate|Complete)/.test(call))).toEqual([
    'SetDesiredCapacity',
    'TerminateInstanceInAutoScalingGroup',
    'CompleteLifecycleAction',
    'SetDesiredCapacity',
    'TerminateInstanceInAutoScalingGroup',
  ]);
});

it('giving full disks room may die at each of its acts: the group gets one node, and not two', {
  timeout: 600_000,
}, async () => {
  const { calls, failures } = await crashEverywhere(
    'giving full disks room',
    otherStories['giving full disks room'],
    // Questions, and the other phase of each act: `npm run campaign -- --scenario crash`.
    (all) => oneCrashACall(all).filter(({ at }) => acts.test(all[at.call]!)),
  );

  expect(failures).toEqual([]);
  expect(calls.filter((call) => /^(Set|PutObject)/.test(call))).toEqual([
    'PutObject',
    'SetDesiredCapacity',
    'PutObject',
  ]);
});

it.each(['elastic', 'kibana_system'] as const)(
  'passwd of %s may die at every call: one of two versions works, and the next run converges',
  { timeout: 600_000 },
  async (username) => {
    const { calls, failures } = await crashEverywhere(`passwd of ${username}`, otherStories[`passwd of ${username}`]);

    expect(failures).toEqual([]);
    expect(calls.length).toBeGreaterThan(6);
  },
);

it('the rotation of a token and of passwords may die at every act: the web UI is never refused, and no token or pending version is left', {
  timeout: 600_000,
}, async () => {
  const rotates = /credential\/token|_password|^(Put|Update)Secret/;
  const { cases, calls, failures } = await crashEverywhere(
    'rotation of token and passwords',
    otherStories['rotation of token and passwords'],
    // Questions, and the other phase of each act: `npm run campaign -- --scenario crash`.
    (all) => oneCrashACall(all).filter(({ at }) => rotates.test(all[at.call]!)),
  );

  expect(failures).toEqual([]);
  expect(calls.filter((call) => /^DELETE .*token/.test(call))).toHaveLength(1);
  expect(cases).toBeGreaterThan(10);
});

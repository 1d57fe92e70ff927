import { DescribeLifecycleHooksCommand } from '@aws-sdk/client-auto-scaling';
import { expect } from 'vitest';
import { contract } from './contract.ts';
import { createGroup, type Group } from './fixtures/group.ts';
import { minutes, seconds, type Target } from './target.ts';

// Naive: takes ABANDON for a result like any other and puts the instance in service, or leaves the group one short.
contract(
  '[rule 1] Auto Scaling terminates and replaces an instance whose launch hook is abandoned',
  { minutes: 5, instances: 2 },
  async (target) => {
    const group = await createGroup(target, { hooks: [{ name: 'launch', at: 'launch' }] });
    const first = await group.instanceIn('Pending:Wait');

    await group.complete(first, 'launch', 'ABANDON');

    const second = await group.instanceIn('Pending:Wait', first);
    await group.ends(first);
    await group.complete(second, 'launch', 'CONTINUE');
    await group.becomes(second, 'InService');
    expect((await group.describe())?.DesiredCapacity).toBe(1);
  },
);

// Naive: lets an instance in when no one completes the hook in time, whatever the hook's default result says.
contract(
  '[rule 1] a launch hook that times out replaces the instance, or puts it into service where the default is CONTINUE',
  { minutes: 6, instances: 3 },
  async (target) => {
    const hook = { name: 'launch', at: 'launch', timeoutSeconds: 30 } as const;
    const strict = await createGroup(target, { hooks: [hook] });
    const lenient = await createGroup(target, { hooks: [{ ...hook, onTimeout: 'CONTINUE' }] });
    const refused = await strict.instanceIn('Pending:Wait');
    const admitted = await lenient.instanceIn('Pending:Wait');

    await target.pass(seconds(30));

    await strict.ends(refused);
    await strict.instanceIn('Pending:Wait', refused);
    await lenient.becomes(admitted, 'InService');
  },
);

// Naive: takes ABANDON of a termination hook for "do not terminate" and returns the instance to service.
contract(
  '[rule 1] an instance is terminated after its termination hook, whether it is continued or abandoned',
  { minutes: 6, instances: 2 },
  async (target) => {
    const group = await createGroup(target, { hooks: [{ name: 'end', at: 'termination' }], desired: 2 });
    const continued = await group.instanceIn('InService');
    const abandoned = await group.instanceIn('InService', continued);
    await group.terminate(continued, { replace: false });
    await group.terminate(abandoned, { replace: false });
    await group.becomes(continued, 'Terminating:Wait');
    await group.becomes(abandoned, 'Terminating:Wait');
    expect(await group.machineState(abandoned)).toBe('running');

    await group.complete(continued, 'end', 'CONTINUE');
    await group.complete(abandoned, 'end', 'ABANDON');

    await group.ends(continued);
    await group.ends(abandoned);
  },
);

// Naive: knows no retained state, so the instance is gone; or counts it as capacity and launches nothing.
contract(
  '[rule 1] Auto Scaling retains an instance whose termination hook is abandoned where the group says so, outside its capacity',
  { minutes: 9, instances: 2 },
  async (target) => {
    const group = await createGroup(target, {
      hooks: [{ name: 'end', at: 'termination' }],
      more: { InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } } },
    });
    const kept = await group.instanceIn('InService');
    await group.terminate(kept, { replace: true });
    await group.becomes(kept, 'Terminating:Wait');

    await group.complete(kept, 'end', 'ABANDON');

    await group.becomes(kept, 'Terminating:Retained');
    const replacement = await group.instanceIn('InService', kept);
    await target.pass(seconds(60));
    expect(await group.stateOf(kept)).toBe('Terminating:Retained');
    expect(await group.machineState(kept)).toBe('running');
    expect((await group.describe())?.DesiredCapacity).toBe(1);

    await group.terminate(kept, { replace: true });
    await group.ends(kept);
    await group.terminate(replacement, { replace: false });
    await group.becomes(replacement, 'Terminating:Wait');
    await group.complete(replacement, 'end', 'CONTINUE');
    await group.ends(replacement);
  },
);

// Naive: ends the wait with the first completion.
contract('[rule 3] a transition waits for all of its hooks', { minutes: 5, instances: 1 }, async (target) => {
  const hooks = [
    { name: 'one', at: 'termination' },
    { name: 'two', at: 'termination' },
  ] as const;
  const group = await createGroup(target, { hooks });
  const instance = await group.instanceIn('InService');
  await group.terminate(instance, { replace: false });
  await group.becomes(instance, 'Terminating:Wait');

  await group.complete(instance, 'one', 'CONTINUE');
  await target.pass(seconds(45));
  expect(await group.stateOf(instance)).toBe('Terminating:Wait');

  await group.complete(instance, 'two', 'CONTINUE');
  await group.ends(instance);
});

// Naive: waits for the other hook as well before it acts on the one that was abandoned.
contract(
  '[rule 3] a wait ends when one of several hooks is abandoned',
  { minutes: 5, instances: 2 },
  async (target) => {
    const hooks = [
      { name: 'one', at: 'launch', timeoutSeconds: 3600 },
      { name: 'two', at: 'launch', timeoutSeconds: 3600 },
    ] as const;
    const group = await createGroup(target, { hooks });
    const instance = await group.instanceIn('Pending:Wait');

    await group.complete(instance, 'one', 'ABANDON');

    await group.ends(instance);
    await expect(group.complete(instance, 'two', 'CONTINUE')).rejects.toMatchObject({ name: 'ValidationError' });
  },
);

async function terminatingInstance(target: Target, timeoutSeconds: number) {
  const group = await createGroup(target, { hooks: [{ name: 'end', at: 'termination', timeoutSeconds }] });
  const instance = await group.instanceIn('InService');
  await group.terminate(instance, { replace: false });
  await group.becomes(instance, 'Terminating:Wait');
  return { group, instance };
}

// Naive: one timer per wait, which no heartbeat moves; or a heartbeat that switches the timeout off for good.
contract(
  '[rule 2] a heartbeat extends the wait of a hook by its heartbeat timeout',
  { minutes: 6, instances: 1 },
  async (target) => {
    const { group, instance } = await terminatingInstance(target, 60);

    await target.pass(seconds(40));
    await group.heartbeat(instance, 'end');
    await target.pass(seconds(40));
    expect(await group.stateOf(instance)).toBe('Terminating:Wait');

    await group.ends(instance, minutes(3));
    await expect(group.heartbeat(instance, 'end')).rejects.toMatchObject({ name: 'ValidationError' });
  },
);

// Naive: as long as heartbeats come the instance waits, for ever.
contract(
  '[rule 2] the wait of a hook ends after a hundred heartbeat timeouts, however many heartbeats there were',
  { minutes: 56, instances: 1 },
  async (target) => {
    const { group, instance } = await terminatingInstance(target, 30);
    const began = target.now();

    while (await beat(group, instance)) {
      if (target.now() - began > seconds(3_300)) break;
      await target.pass(seconds(12));
    }

    const waited = target.now() - began;
    expect(waited).toBeGreaterThan(seconds(2_900));
    expect(waited).toBeLessThan(seconds(3_300));
    await group.ends(instance);
  },
);

/** Whether there was still a wait to extend. */
const beat = (group: Group, instance: string): Promise<boolean> =>
  group.heartbeat(instance, 'end').then(
    () => true,
    (error: Error) => {
      if (error.name !== 'ValidationError') throw error;
      return false;
    },
  );

// Naive: a hundred times the heartbeat timeout, without an end at two days.
contract(
  '[rule 2] DescribeLifecycleHooks shows the longest wait: a hundred heartbeat timeouts, never more than 48 hours',
  { minutes: 1 },
  async (target) => {
    const hooks = [
      { name: 'short', at: 'termination', timeoutSeconds: 30 },
      { name: 'long', at: 'termination', timeoutSeconds: 7_200 },
    ] as const;
    const group = await createGroup(target, { hooks, desired: 0 });

    const { LifecycleHooks } = await target.clients.autoscaling.send(
      new DescribeLifecycleHooksCommand({ AutoScalingGroupName: group.name }),
    );

    const limits = LifecycleHooks?.map((hook) => [hook.LifecycleHookName, hook.GlobalTimeout]);
    expect(Object.fromEntries(limits ?? [])).toEqual({ short: 3_000, long: 172_800 });
  },
);

// Naive: the same.
contract('[rule 2] the wait of a hook ends after 48 hours', { embeddedOnly: 'it takes two days' }, async (target) => {
  const { group, instance } = await terminatingInstance(target, 7_200);
  const began = target.now();

  while (await beat(group, instance)) await target.pass(minutes(60));

  expect((target.now() - began) / minutes(60)).toBeCloseTo(48, 0);
});

import { CompleteLifecycleActionCommand, DescribeAutoScalingInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { FaultEffect } from '@drover/cloud-engine';
import type { SpawnOptions } from '@drover/cloud-machines';
import { readMetadata } from '@drover/cloud-machines/testing';
import { expect } from 'vitest';
import { contract } from './contract.ts';
import { createGroup } from './fixtures/group.ts';
import { createLaunchTemplate } from './fixtures/launch-template.ts';
import { type BusEvent, recorderOfEvents } from './fixtures/recorder.ts';
import { minutes, seconds, type Target } from './target.ts';

// ---- Events ------------------------------------------------------------------------------------------------------------

// Naive: hands out a token that works whenever it comes, so an event that is late or comes twice ends a later wait.
contract(
  '[rule 9] the event of an open lifecycle hook carries a token that ends that wait, and no other',
  { minutes: 6, instances: 2 },
  async (target) => {
    const { autoscaling } = target.clients;
    const detailType = 'EC2 Instance-launch Lifecycle Action';
    const group = await createGroup(target, { hooks: [{ name: 'launch', at: 'launch' }], desired: 0, max: 2 });
    const pattern = { 'detail-type': [detailType], detail: { AutoScalingGroupName: [group.name] } };
    const recorder = await recorderOfEvents(target, pattern);
    await group.setDesired(1);
    const [event] = await recorder.atLeast<BusEvent>(1);
    const { EC2InstanceId: instance = '', LifecycleActionToken: token } = event!.detail;
    const answer = () =>
      autoscaling.send(
        new CompleteLifecycleActionCommand({
          AutoScalingGroupName: group.name,
          LifecycleHookName: 'launch',
          LifecycleActionToken: token,
          LifecycleActionResult: 'CONTINUE',
        }),
      );
    expect(event).toMatchObject({
      source: 'aws.autoscaling',
      detail: { LifecycleHookName: 'launch', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' },
    });
    expect(await group.stateOf(instance)).toBe('Pending:Wait');

    await answer();

    await group.becomes(instance, 'InService');
    await group.setDesired(2);
    const other = await group.instanceIn('Pending:Wait', instance);
    await expect(answer()).rejects.toMatchObject({ name: 'ValidationError' });
    expect(await group.stateOf(other)).toBe('Pending:Wait');
  },
);

/** Puts events one after the other and waits until `count` have arrived. */
async function sendEvents(
  target: Target,
  count: number,
  arriving: number,
  limitMs = minutes(5),
): Promise<readonly BusEvent[]> {
  const source = target.uniqueName('source');
  const recorder = await recorderOfEvents(target, { source: [source] });
  for (let number = 1; number <= count; number++)
    await target.clients.events.send(
      new PutEventsCommand({
        Entries: [{ Source: source, DetailType: 'Count', Detail: JSON.stringify({ number: String(number) }) }],
      }),
    );
  return recorder.atLeast<BusEvent>(arriving, limitMs);
}

// Naive: an event that is not received at once is lost.
contract('[rule 9] EventBridge delivers every event at least once', { minutes: 3 }, async (target) => {
  const events = await sendEvents(target, 20, 20);

  const numbers = new Set(events.map(({ detail }) => Number(detail.number)));
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});

// Naive: delivers in the order in which they were put.
contract(
  '[rule 9] EventBridge may deliver events in another order than they were put',
  { embeddedOnly: 'AWS may, it does not have to' },
  async (target) => {
    const events = await sendEvents(target, 20, 20);

    const numbers = events.map(({ detail }) => Number(detail.number));
    expect(numbers).not.toEqual([...numbers].sort((a, b) => a - b));
  },
);

const strike = (target: Target, effect: FaultEffect) =>
  target.embedded!.engine.faults.add({ service: 'events', operation: 'Count', effect });

// Naive: exactly once.
contract(
  '[rule 9] EventBridge may deliver an event twice, with the same id',
  { embeddedOnly: 'nothing makes AWS deliver twice' },
  async (target) => {
    strike(target, { kind: 'duplicate' });

    const [first, second] = await sendEvents(target, 1, 2);

    expect(second).toEqual(first);
  },
);

// Naive: at once.
contract(
  '[rule 9] EventBridge may deliver an event minutes after it was put',
  { embeddedOnly: 'nothing makes AWS delay one' },
  async (target) => {
    strike(target, { kind: 'delayed', ms: minutes(10) });
    const began = target.now();

    await sendEvents(target, 1, 1).catch(() => []);

    expect(target.now() - began).toBeGreaterThan(minutes(5));
  },
);

// ---- Activities and metadata -------------------------------------------------------------------------------------------

// Naive: has a field that shows when the hook began or was last heard of, which programs then rely on.
contract(
  '[rule 10] only the start of the scaling activity shows when a wait began, and a heartbeat does not change it',
  { minutes: 5, instances: 1 },
  async (target) => {
    const group = await createGroup(target, { hooks: [{ name: 'end', at: 'termination' }] });
    const instance = await group.instanceIn('InService');
    await group.terminate(instance, { replace: false });
    await group.becomes(instance, 'Terminating:Wait');
    const [before] = await group.activities();
    await target.pass(seconds(60));
    await group.heartbeat(instance, 'end');

    const [after] = await group.activities();

    expect(after).toMatchObject({ StatusCode: 'MidLifecycleAction', StartTime: before?.StartTime });
    expect(after?.Description).toContain(`Terminating EC2 instance: ${instance}`);
    expect(after?.EndTime).toBeUndefined();
    const { AutoScalingInstances } = await target.clients.autoscaling.send(
      new DescribeAutoScalingInstancesCommand({ InstanceIds: [instance] }),
    );
    expect(Object.values(AutoScalingInstances?.[0] ?? {}).filter((value) => value instanceof Date)).toEqual([]);
  },
);

/** The text that a process on the instance reads from its metadata service, or `nothing` when no response comes. */
async function readOnInstance(target: Target, instanceId: string, path: string, options: SpawnOptions = {}) {
  const machine = target.embedded!.machines.get(instanceId)!;
  let content = 'nothing';
  const reader = machine.spawn(
    'reader',
    async (context) => {
      content = await readMetadata(context, `meta-data/${path}`);
      return 0;
    },
    options,
  );
  await target.pass(seconds(10));
  reader.signal('SIGKILL');
  return content;
}

// Naive: shows the current state, `Pending:Wait` and `Terminating:Wait`.
contract(
  '[rule 10] instance metadata shows the target lifecycle state, not the current one',
  { embeddedOnly: 'it needs a program on the instance' },
  async (target) => {
    const hooks = [
      { name: 'launch', at: 'launch' },
      { name: 'end', at: 'termination' },
    ] as const;
    const group = await createGroup(target, { hooks });
    const instance = await group.instanceIn('Pending:Wait');
    await target.pass(seconds(60));
    const read = () => readOnInstance(target, instance, 'autoscaling/target-lifecycle-state');
    expect(await read()).toBe('InService');

    await group.complete(instance, 'launch', 'CONTINUE');
    await group.becomes(instance, 'InService');
    await group.terminate(instance, { replace: false });
    await group.becomes(instance, 'Terminating:Wait');

    expect(await read()).toBe('Terminated');
  },
);

// Naive: responds to every process on the machine.
contract(
  '[rule 10] instance metadata reaches a container only where the hop limit allows it',
  { embeddedOnly: 'it needs a program on the instance' },
  async (target) => {
    const far = await createLaunchTemplate(target, {
      MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 2 },
    });
    const near = await (await createGroup(target)).instanceIn('InService');
    const distant = await (await createGroup(target, { launchTemplateId: far })).instanceIn('InService');
    await target.pass(seconds(60));

    expect(await readOnInstance(target, near, 'instance-id', { container: true })).toBe('nothing');
    expect(await readOnInstance(target, near, 'instance-id')).toBe(near);
    expect(await readOnInstance(target, distant, 'instance-id', { container: true })).toBe(distant);
  },
);

// ---- Spot ----------------------------------------------------------------------------------------------------------------

// Naive: lets the termination hook hold a spot instance that AWS takes back.
contract(
  '[rule 11] EC2 reclaims a spot instance two minutes after the notice, whatever its hook says',
  { embeddedOnly: 'AWS takes instances back when it likes' },
  async (target) => {
    const launchTemplateId = await createLaunchTemplate(target, { InstanceMarketOptions: { MarketType: 'spot' } });
    const hooks = [{ name: 'end', at: 'termination', timeoutSeconds: 3_600 }] as const;
    const group = await createGroup(target, { hooks, launchTemplateId });
    const instance = await group.instanceIn('InService');
    const recorder = await recorderOfEvents(target, { 'detail-type': ['EC2 Spot Instance Interruption Warning'] });

    target.embedded!.aws.ec2.reclaimSpot(instance);

    await target.pass(seconds(100));
    const notice = { source: 'aws.ec2', detail: { 'instance-id': instance, 'instance-action': 'terminate' } };
    expect(await recorder.events()).toMatchObject([notice]);
    expect(await group.machineState(instance)).toBe('running');
    await target.pass(seconds(25));
    expect(await group.machineState(instance)).toBe('shutting-down');
  },
);

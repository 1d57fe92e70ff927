import { functionSuffixes } from '@drover/core/names/runner-fleet';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type ExpectedEvents, readTrigger } from '../src/lifecycle-event.ts';
import { FunctionStage, patienceMs } from './function-stage.ts';

vi.setConfig({ testTimeout: patienceMs });

/** An event as the group sends it when an instance launches or terminates. */
const lifecycle = (transition: ExpectedEvents['transition'], detail: object = {}) => ({
  version: '0',
  source: 'aws.autoscaling',
  'detail-type': `EC2 Instance-${transition} Lifecycle Action`,
  detail: {
    AutoScalingGroupName: 'runners',
    EC2InstanceId: 'i-0123456789abcdef0',
    LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition === 'launch' ? 'LAUNCHING' : 'TERMINATING'}`,
    LifecycleHookName: 'registration',
    Origin: 'EC2',
    Destination: 'AutoScalingGroup',
    ...detail,
  },
});

const schedule = { version: '0', source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} };

/** Malformed events, with what the error says about each. */
const malformed: Readonly<Record<string, readonly [event: unknown, because: string]>> = {
  nothing: [undefined, 'the event is missing, not an object'],
  null: [null, 'the event is null, not an object'],
  'a list': [[lifecycle('launch')], 'the event is [{'],
  'a text': ['launch', 'the event is "launch", not an object'],
  'a number': [42, 'the event is 42, not an object'],
  'another type': [
    { ...lifecycle('launch'), 'detail-type': 'EC2 Instance Launch Successful' },
    'detail-type is "EC2 Instance Launch Successful", not "EC2 Instance-launch Lifecycle Action"',
  ],
  'a type that is no text': [
    { ...lifecycle('launch'), 'detail-type': 7 },
    'detail-type is 7, not "EC2 Instance-launch',
  ],
  'a terminate event': [lifecycle('terminate'), 'detail-type is "EC2 Instance-terminate Lifecycle Action", not'],
  'no detail': [{ source: 'aws.autoscaling' }, 'detail is missing, not an object'],
  'detail that is null': [{ ...lifecycle('launch'), detail: null }, 'detail is null, not an object'],
  'detail that is a list': [{ ...lifecycle('launch'), detail: [] }, 'detail is [], not an object'],
  'empty detail': [{ detail: {} }, 'detail.EC2InstanceId is missing, not the id of an instance'],
  'another group': [
    lifecycle('launch', { AutoScalingGroupName: 'builders' }),
    'detail.AutoScalingGroupName is "builders", not "runners"',
  ],
  'an unknown transition': [
    lifecycle('launch', { LifecycleTransition: 'autoscaling:EC2_INSTANCE_RESTING' }),
    'detail.LifecycleTransition is "autoscaling:EC2_INSTANCE_RESTING", not "autoscaling:EC2_INSTANCE_LAUNCHING"',
  ],
  'an instance that is a number': [
    lifecycle('launch', { EC2InstanceId: 42 }),
    'detail.EC2InstanceId is 42, not the id',
  ],
  'an instance that is no id': [
    lifecycle('launch', { EC2InstanceId: 'i-0; rm -rf /' }),
    'detail.EC2InstanceId is "i-0; rm -rf /", not the id',
  ],
};

/** Anything that could be on the bus, and events that are nearly right. */
const anyEvent = fc.oneof(
  fc.jsonValue(),
  fc.record({ detail: fc.jsonValue() }),
  fc.record({ detail: fc.record({ EC2InstanceId: fc.jsonValue(), Origin: fc.jsonValue() }) }),
  fc.record({ detail: fc.record({ EC2InstanceId: fc.stringMatching(/^i-[0-9a-f]{1,20}$/) }) }),
);

describe('an event', () => {
  const expected = { groupName: 'runners', transition: 'launch' } as const;

  it('names the instance, and whether it was just made or comes out of the warm pool', () => {
    const from = (Origin: string) => readTrigger(lifecycle('launch', { Origin }), expected);

    expect(from('EC2')).toEqual({ kind: 'lifecycle', instanceId: 'i-0123456789abcdef0', freshLaunch: true });
    expect(from('WarmPool')).toEqual({ kind: 'lifecycle', instanceId: 'i-0123456789abcdef0', freshLaunch: false });
  });

  it('an event is the schedule, or the call of an operator', () => {
    expect(readTrigger(schedule, expected)).toEqual({ kind: 'schedule' });
    expect(readTrigger({}, expected)).toEqual({ kind: 'schedule' });
  });

  it.each(Object.entries(malformed))('a malformed event is refused by its value: %s', (_, [event, because]) => {
    expect(readTrigger(event, expected)).toEqual({ kind: 'malformed', because: expect.stringContaining(because) });
  });

  it('an event of any form never names a wrong instance', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const trigger = readTrigger(event, expected);
        if (trigger.kind === 'lifecycle') expect(trigger.instanceId).toMatch(/^i-[0-9a-f]{8,17}$/);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe('the functions', () => {
  let stage: FunctionStage;
  beforeAll(async () => {
    stage = await FunctionStage.open();
  }, patienceMs);

  it('leave alone what is not theirs', async () => {
    const instanceId = await stage.pending();
    await (await stage.load('registration'))(lifecycle('launch'));

    expect(stage.tokens()).not.toContain(`actions-runner/runners/${instanceId}`);
  });

  it('registration stores one token for a launch, however many passes see the instance while ListSecrets lags', async () => {
    const instanceId = await stage.pending();
    const handler = await stage.load('registration');
    for (let pass = 0; pass < 3; pass++) await handler({});

    const { journal } = stage.fleet.fleet.world.engine;
    const stored = journal.entries.filter(
      ({ name, subject }) => /^(CreateSecret|PutSecretValue)$/.test(name) && subject?.includes(instanceId),
    );
    expect(stored.map(({ name }) => name)).toEqual(['CreateSecret']);
  });

  it('the functions make a whole pass for a malformed event, then say what is wrong with it and what to do', async () => {
    const instanceId = await stage.pending();
    const handler = await stage.load('registration');

    await expect(handler(lifecycle('launch', { EC2InstanceId: 42 }))).rejects.toMatchObject({
      name: 'TerminalError',
      message: expect.stringMatching(/detail\.EC2InstanceId is 42, not the id of an instance\. What to do: .*deploy/),
    });
    expect(stage.tokens()).toContain(`actions-runner/runners/${instanceId}`);
  });

  it.each(['registration', 'deregistration'] as const)('%s fails for every malformed event', async (suffix) => {
    const handler = await stage.load(suffix);

    for (const [name, [event]] of Object.entries(malformed))
      if (!(suffix === 'deregistration' && name === 'a terminate event'))
        await expect(handler(event), name).rejects.toThrow(/an event that it is not for: .* What to do: /s);
  });

  it('record_metric takes any event for its minute', async () => {
    const handler = await stage.load('record_metric');

    for (const [event] of Object.values(malformed)) await handler(event);
  });

  it.each(functionSuffixes)('%s never fails for another reason than the form of an event', async (suffix) => {
    const handler = await stage.load(suffix);

    await fc.assert(
      fc.asyncProperty(anyEvent, async (event) => {
        await handler(event).catch((error: Error) => expect(error.message).toMatch(/an event that it is not for/));
      }),
      { numRuns: 30, seed: 2 },
    );
  });
});

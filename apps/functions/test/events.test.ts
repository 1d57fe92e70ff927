import { functionSuffixes } from '@drover/core/names/runner-fleet';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readLifecycleEvent } from '../src/lifecycle-event.ts';
import { FunctionStage } from './function-stage.ts';

const launch = {
  source: 'aws.autoscaling',
  'detail-type': 'EC2 Instance-launch Lifecycle Action',
  detail: {
    EC2InstanceId: 'i-0123456789abcdef0',
    LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
    Origin: 'EC2',
    Destination: 'AutoScalingGroup',
  },
};

/** Anything that could be on the bus, and events that are nearly right. */
const events = fc.oneof(
  fc.jsonValue(),
  fc.record({ detail: fc.jsonValue() }),
  fc.record({ detail: fc.record({ EC2InstanceId: fc.jsonValue(), Origin: fc.jsonValue() }) }),
  fc.record({ detail: fc.record({ EC2InstanceId: fc.stringMatching(/^i-[0-9a-f]{1,20}$/) }) }),
  fc.constantFrom(undefined, { ...launch, detail: null }, { ...launch, detail: [] }),
);

describe('a lifecycle event', () => {
  it('names the instance, and whether it was just made or comes out of the warm pool', () => {
    const from = (Origin: string) => readLifecycleEvent({ ...launch, detail: { ...launch.detail, Origin } });

    expect(from('EC2')).toEqual({ instanceId: 'i-0123456789abcdef0', freshLaunch: true });
    expect(from('WarmPool')).toEqual({ instanceId: 'i-0123456789abcdef0', freshLaunch: false });
  });

  it('is no hint at all rather than a wrong one, whatever its form', () => {
    fc.assert(
      fc.property(events, (event) => {
        const hint = readLifecycleEvent(event);
        if (hint !== undefined) expect(hint.instanceId).toMatch(/^i-[0-9a-f]+$/);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe('the functions', () => {
  let stage: FunctionStage;
  beforeAll(async () => {
    stage = await FunctionStage.open();
  });

  it('leave alone what is not theirs, and do the whole work of a pass for an event that says nothing', async () => {
    const instanceId = await stage.pending();
    const token = `actions-runner/runners/${instanceId}`;
    const handler = await stage.load('registration');

    await handler(launch);
    expect(await stage.tokens()).not.toContain(token);
    await handler({ detail: { EC2InstanceId: 42 } });
    expect(await stage.tokens()).toContain(token);
  });

  it.each(functionSuffixes)('never fail for the form of an event: %s', async (suffix) => {
    const handler = await stage.load(suffix);

    await fc.assert(
      fc.asyncProperty(events, async (event) => {
        await handler(event);
      }),
      { numRuns: 60, seed: 2 },
    );
  });
});

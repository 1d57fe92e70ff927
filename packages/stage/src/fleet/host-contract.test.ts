import { MachineFixture } from '@drover/cloud-machines/testing';
import { jsonLogger } from '@drover/core';
import { runnerHost } from '@drover/runner-agent';
import { hostContract, skipReason } from '@drover/runner-agent/testing';
import { watchHost } from '@drover/runner-fleet';
import { describe, expect, it } from 'vitest';
import { leavingInstance } from './leaving-instance.test-support.ts';
import { simulatedRig } from './simulated-rig.test-support.ts';

describe('the host contract on a simulated machine', () => {
  it.each(hostContract.map((each) => [each.title, each] as const))('on a simulated machine %s', async (_, each) => {
    const fixture = new MachineFixture();
    let outcome: unknown = 'not run';
    await fixture.launchWith(async (context) => {
      const rig = simulatedRig(context);
      expect(skipReason(each, rig)).toBeUndefined();
      outcome = await each.run(rig).then(
        () => 'passed',
        (error: unknown) => error,
      );
      return 0;
    });
    await fixture.clock.runUntil(() => outcome !== 'not run', 120_000);

    if (outcome instanceof Error) throw outcome;
    expect(outcome).toBe('passed');
  });
});

describe('an agent on a machine that is hibernated for three days', () => {
  const minute = 60_000;

  /** An agent that drains, with a listener and perhaps a Worker; `did` is what it asked of its group. */
  async function draining(worker: boolean) {
    const fixture = new MachineFixture();
    const did: string[] = [];
    const note = async (what: string) => void did.push(what);
    const machine = await fixture.launchWith(async (context) => {
      const { kernel, clock, config, defineRunnerUnit } = simulatedRig(context);
      await defineRunnerUnit({ kind: 'listens', worker });
      await kernel.startUnit('actions-runner');
      await watchHost({
        clock,
        log: jsonLogger({ clock, write: () => {} }),
        host: runnerHost(kernel, config),
        ...leavingInstance,
        place: {
          ...leavingInstance.place,
          completeHook: async (hook) => {
            await note(`complete ${hook}`);
            return 'accepted';
          },
          heartbeat: () => note('heartbeat'),
        },
      });
      return 0;
    });
    const hibernate = async (days: number) => {
      machine.freeze();
      await fixture.clock.advance(days * 1440 * minute);
      machine.thaw();
    };
    const listens = () => machine.serviceState('actions-runner') === 'active';
    return { machine, did, hibernate, listens, advance: (minutes: number) => fixture.clock.advance(minutes * minute) };
  }

  it('an agent that was hibernated for three days does not take them for the silence before a stop', async () => {
    const { machine, hibernate, listens, advance } = await draining(false);
    while (!machine.isCutOff('actions-runner')) await advance(0.1);

    await hibernate(3);
    await advance(1.5);
    expect(listens()).toBe(true);

    await advance(10);
    expect(listens()).toBe(false);
  });

  it('an agent that was hibernated for three days sends a heartbeat when it wakes and lets its job run', async () => {
    const { did, hibernate, listens, advance } = await draining(true);
    await advance(3);
    expect(did).toEqual(['heartbeat']);

    await hibernate(3);
    await advance(1);
    expect(did).toEqual(['heartbeat', 'heartbeat']);

    await advance(60);
    expect(listens()).toBe(true);
  });
});

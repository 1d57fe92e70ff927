import { beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from './machine.ts';
import { idle, MachineFixture } from './machine-fixture.test-support.ts';

let fixture: MachineFixture;

beforeEach(() => {
  fixture = new MachineFixture();
});

const seconds = 1_000;
const minutes = 60 * seconds;

describe('hibernation', () => {
  const hibernate = async (machine: Machine) => {
    fixture.world.aws.ec2.stop(machine.instance.id, { hibernate: true });
    await fixture.clock.runUntil(() => fixture.instanceState(machine) !== 'stopping', 5 * minutes);
  };
  const wake = async (machine: Machine) => {
    fixture.world.aws.ec2.start(machine.instance.id);
    await fixture.clock.runUntil(() => machine.state === 'up', 5 * minutes);
  };

  it('hibernation notifies a process that has a part outside the world when to stand still and when to go on', async () => {
    const told: string[] = [];
    const machine = await fixture.launchWith(async (context) => {
      context.onHibernation({ freeze: () => told.push('freeze'), thaw: () => told.push('thaw') });
      return await idle(context);
    });
    await fixture.clock.advance(90 * seconds);

    await hibernate(machine);
    expect(told).toEqual(['freeze']);
    await wake(machine);
    expect(told).toEqual(['freeze', 'thaw']);
  });

  it('[rule 4] lets processes go on where they were, with a clock that has jumped, and no second boot', async () => {
    const ticks: number[] = [];
    let boots = 0;
    const machine = await fixture.launchWith(async ({ clock }) => {
      boots += 1;
      for (;;) {
        ticks.push(clock.now());
        await clock.sleep(60 * seconds);
      }
    });
    await fixture.clock.advance(90 * seconds);
    const pid = machine.processes()[0]!.pid;

    await hibernate(machine);
    expect(fixture.instanceState(machine)).toBe('stopped');
    const asleep = ticks.length;
    await fixture.clock.advance(120 * minutes);
    expect(ticks).toHaveLength(asleep);
    await wake(machine);
    // Half a minute was left of the sleep; it is still left.
    await fixture.clock.advance(35 * seconds);

    expect(machine.processes()[0]!.pid).toBe(pid);
    expect(ticks).toHaveLength(asleep + 1);
    expect(ticks.at(-1)! - ticks.at(-2)!).toBeGreaterThan(120 * minutes);
    expect(boots).toBe(1);
    expect(machine.bootCount).toBe(1);
  });

  it('[rule 4] hibernation that fails leaves the instance running', async () => {
    const effect = { kind: 'failed-hibernation' } as const;
    fixture.world.engine.faults.add({ service: 'machine', operation: 'hibernate', effect });
    const machine = await fixture.launchWith(idle);

    await hibernate(machine);

    expect(fixture.instanceState(machine)).toBe('running');
    expect(machine.state).toBe('up');
    expect(machine.processes()).toHaveLength(1);
  });

  it('resets connections whose response came during hibernation', async () => {
    fixture.world.network.register('slow.example', async () => {
      await fixture.clock.sleep(60 * seconds);
      return { status: 200, headers: {}, body: '' };
    });
    let outcome = 'none';
    const machine = await fixture.launchWith(async (context) => {
      const request = {
        method: 'GET',
        host: 'slow.example',
        path: '/',
        query: '',
        headers: {},
        body: new Uint8Array(),
      };
      await context.http(request).catch((error: Error) => {
        outcome = error.message;
      });
      return 0;
    });
    await fixture.clock.settle();

    await hibernate(machine);
    await fixture.clock.advance(10 * minutes);
    expect(outcome).toBe('none');
    await wake(machine);
    await fixture.clock.settle();

    expect(outcome).toBe('read ECONNRESET');
  });

  it('ends with termination: nothing wakes again', async () => {
    let ended = false;
    const machine = await fixture.launchWith(async ({ clock }) => {
      await clock.sleep(60 * minutes);
      ended = true;
      return 0;
    });
    await hibernate(machine);

    fixture.world.aws.ec2.terminate(machine.instance.id, 'test');
    await fixture.clock.advance(180 * minutes);

    expect(machine.state).toBe('gone');
    expect(ended).toBe(false);
  });
});

import { type Clock, sleepOn, type Timer, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { MachineFixture } from './machine-fixture.test-support.ts';
import type { Program } from './program.ts';

const seconds = 1_000;
const minutes = 60 * seconds;

/** A virtual clock that knows which timers wait. */
class CountingClock extends VirtualClock implements Clock {
  readonly waiting = new Set<object>();

  override after(delayMs: number, act: () => void): Timer {
    const mark = {};
    this.waiting.add(mark);
    const timer = super.after(delayMs, () => {
      this.waiting.delete(mark);
      act();
    });
    return {
      cancel: () => {
        this.waiting.delete(mark);
        timer.cancel();
      },
    };
  }

  override sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }
}

/** A busy machine: a service with a worker that restarts, cron, commands. */
const busy: Program = async ({ machine, random }) => {
  machine.defineService({
    name: 'listener',
    restart: 'always',
    restartDelayMs: 3 * seconds,
    program: async (context) => {
      context.spawn('worker', async ({ clock }) => {
        await clock.sleep(random.int(1, 90) * seconds);
        return 0;
      });
      await context.clock.sleep(context.random.int(20, 200) * seconds);
      return context.random.chance(0.5) ? 1 : 0;
    },
  });
  machine.startService('listener');
  machine.addCron('beat', 5 * minutes, 'echo beat && false || true');
  return 0;
};

/** Launches some machines, hibernates and wakes one, crashes one, terminates one, ends with all of them gone. */
async function live(fixture: MachineFixture): Promise<void> {
  const { world, clock } = fixture;
  await fixture.createProfile('node', [], ['AmazonSSMManagedInstanceCore']);
  world.machines.onBoot(() => true, busy);
  const machines = [];
  for (let i = 0; i < 4; i++) machines.push(await fixture.launch({ IamInstanceProfile: { Name: 'node' } }));
  const [first, second, third] = machines.map(({ instance }) => instance.id);
  await clock.advance(10 * minutes);
  world.aws.ec2.stop(first!, { hibernate: true });
  world.machines.crash(second!);
  await clock.advance(30 * minutes);
  world.aws.ec2.start(first!);
  world.machines.kill(third!);
  await clock.advance(30 * minutes);
  for (const { instance } of machines) world.aws.ec2.terminate(instance.id, 'the end');
  await clock.advance(180 * minutes);
}

describe('a world with machines', () => {
  it('goes the same way again with the same seed', async () => {
    const digest = async (seed: number) => {
      const fixture = new MachineFixture(seed);
      await live(fixture);
      return fixture.world.engine.journal.digest;
    };

    expect(await digest(7)).toBe(await digest(7));
    expect(await digest(7)).not.toBe(await digest(8));
  });

  it('a world with machines has no timer left when its machines are gone', async () => {
    const clock = new CountingClock();
    const fixture = new MachineFixture(3, clock);

    await live(fixture);

    expect(fixture.world.machines.all().every(({ state }) => state === 'gone')).toBe(true);
    expect(clock.waiting.size).toBe(0);
  });
});

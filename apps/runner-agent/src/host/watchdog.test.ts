import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { Kernel } from './kernel.ts';
import { Watchdog, watchdogMs } from './watchdog.ts';

const minute = 60_000;

/** An agent whose unit has WatchdogSec=2min, and how often it notified. */
function stage() {
  const clock = new VirtualClock();
  let notified = 0;
  const watchdog = new Watchdog({ clock, limitMs: 2 * minute, notify: () => void notified++ });
  const kernel = watchdog.watching<Pick<Kernel, 'pause'>>({ pause: (mostMs) => clock.sleep(mostMs) });
  return { clock, watchdog, kernel, notified: () => notified };
}

describe('the watchdog of the agent', () => {
  it('an agent whose rounds end notifies systemd at its start and four times within the limit', async () => {
    const { clock, kernel, notified } = stage();
    expect(notified()).toBe(1);
    for (let rounds = 0; rounds < 60; rounds++) {
      void kernel.pause(minute, () => false);
      await clock.advance(minute);
    }
    expect(notified()).toBe(1 + 60 * 2);
  });

  it('an agent whose round does not end falls silent after twenty minutes, and speaks again when it does', async () => {
    const { clock, kernel, notified } = stage();
    await clock.advance(20 * minute - 1);
    const before = notified();
    await clock.advance(30 * minute);
    expect(notified()).toBe(before);
    void kernel.pause(1, () => false);
    await clock.advance(minute / 2);
    expect(notified()).toBe(before + 1);
  });

  it('an agent that has ended does not notify systemd any more', async () => {
    const { clock, watchdog, notified } = stage();
    watchdog.stop();
    await clock.advance(10 * minute);
    expect(notified()).toBe(1);
  });

  it.each([
    [{ WATCHDOG_USEC: '120000000' }, 120_000],
    [{ WATCHDOG_USEC: '0' }, undefined],
    [{ WATCHDOG_USEC: 'x' }, undefined],
    [{}, undefined],
  ])('the environment %j of a unit gives a limit of %s ms', (env, expected) => {
    expect(watchdogMs(env)).toBe(expected);
  });
});

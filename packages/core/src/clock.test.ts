import { describe, expect, it } from 'vitest';
import { RealClock, ScaledClock, VirtualClock } from './index.ts';

describe('RealClock', () => {
  it('sleeps at least as long as it should, and not after a cancelled timer', async () => {
    const clock = new RealClock();
    const start = clock.now();
    let fired = false;
    clock
      .after(1, () => {
        fired = true;
      })
      .cancel();

    await clock.sleep(15);

    expect(clock.now() - start).toBeGreaterThanOrEqual(14);
    expect(fired).toBe(false);
  });

  it('a timer with a longer delay than Node accepts does not fire at once', async () => {
    const clock = new RealClock();
    let fired = false;
    const timer = clock.after(2 ** 40, () => {
      fired = true;
    });

    await clock.sleep(5);
    timer.cancel();

    expect(fired).toBe(false);
  });

  it('ends a sleep when its signal is aborted', async () => {
    const abort = new AbortController();
    const sleeping = new RealClock().sleep(60_000, abort.signal);
    abort.abort(new Error('enough'));

    await expect(sleeping).rejects.toThrow('enough');
  });
});

describe('ScaledClock', () => {
  const pair = (speed: number) => {
    const base = new VirtualClock(0);
    return { base, clock: new ScaledClock({ base, speed, startAtMs: 0 }) };
  };

  it('runs as many times as fast as its base, and timers with it', async () => {
    const { base, clock } = pair(60);
    const seen: number[] = [];
    clock.after(60_000, () => seen.push(clock.now()));

    await base.advance(1_000);

    expect([clock.now(), seen]).toEqual([60_000, [60_000]]);
  });

  it('keeps the present moment when its speed changes, and moves waiting timers', async () => {
    const { base, clock } = pair(1);
    let firedAt: number | undefined;
    clock.after(10_000, () => {
      firedAt = base.now();
    });
    await base.advance(5_000);
    clock.setSpeed(5);
    expect(clock.now()).toBe(5_000);

    await base.advance(1_000);

    expect(firedAt).toBe(6_000);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a speed of %s', (speed) => {
    expect(() => pair(speed)).toThrow(RangeError);
  });
});

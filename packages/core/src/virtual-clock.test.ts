import { describe, expect, it } from 'vitest';
import { SeededRandom, VirtualClock } from './index.ts';

describe('VirtualClock', () => {
  it('fires timers in the order of their time while the clock is advanced', async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    void clock.sleep(2000).then(() => seen.push(`b${clock.now()}`));
    void clock.sleep(1000).then(async () => {
      seen.push(`a${clock.now()}`);
      await clock.sleep(500);
      seen.push(`c${clock.now()}`);
    });

    await clock.advance(3000);

    expect(seen).toEqual(['a1000', 'c1500', 'b2000']);
    expect(clock.now()).toBe(3000);
  });

  it('fires timers of the same time in the order of their creation', async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    for (let index = 0; index < 50; index++) clock.after(100, () => seen.push(index));

    await clock.advance(100);

    expect(seen).toEqual([...Array(50).keys()]);
  });

  it('keeps a thousand timers with random delays, a third of them cancelled, in order', async () => {
    const clock = new VirtualClock(0);
    const random = new SeededRandom('timers');
    const expected: [at: number, index: number][] = [];
    const seen: [at: number, index: number][] = [];
    for (let index = 0; index < 1000; index++) {
      const delay = random.int(0, 300);
      const timer = clock.after(delay, () => seen.push([clock.now(), index]));
      if (index % 3 === 0) timer.cancel();
      else expected.push([delay, index]);
    }

    await clock.advance(300);

    expect(seen).toEqual(expected.sort(([at, index], [otherAt, other]) => at - otherAt || index - other));
  });

  it('a timer that another one cancels in the same millisecond does not fire', async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.after(10, () => later.cancel());
    const later = clock.after(10, () => seen.push('later'));

    await clock.advance(20);

    expect(seen).toEqual([]);
  });

  it('leaves timers beyond the target alone, and time at the target', async () => {
    const clock = new VirtualClock(1_000);
    const seen: number[] = [];
    clock.after(500, () => seen.push(clock.now()));
    clock.after(501, () => seen.push(clock.now()));

    await clock.advance(500);

    expect([seen, clock.now()]).toEqual([[1_500], 1_500]);
  });

  it('rejects a sleep with the reason of its signal, at once when it is aborted already', async () => {
    const clock = new VirtualClock(0);
    const abort = new AbortController();
    const sleeping = clock.sleep(1_000, abort.signal);
    abort.abort(new Error('enough'));

    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(1, abort.signal)).rejects.toThrow('enough');
  });

  it('stops where runUntil reaches its condition, and says when it did not', async () => {
    const clock = new VirtualClock(0);
    let done = false;
    clock.after(400, () => {
      done = true;
    });

    expect(await clock.runUntil(() => done, 300)).toBe(false);
    expect(clock.now()).toBe(300);
    expect(await clock.runUntil(() => done, 1_000)).toBe(true);
    expect(clock.now()).toBe(400);
  });

  it('virtual time does not advance while work is held', async () => {
    const clock = new VirtualClock(0);
    let finishedAt: number | undefined;
    const work = new Promise<void>((resolve) => setTimeout(resolve, 20));
    clock.after(1, () => {
      void clock.hold(work).then(() => {
        finishedAt = clock.now();
      });
    });
    clock.after(1_000, () => {});

    await clock.advance(1_000);

    expect(finishedAt).toBe(1);
  });
});

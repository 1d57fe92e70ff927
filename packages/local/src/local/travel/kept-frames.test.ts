import { describe, expect, it } from 'vitest';
import { keptFrames } from './kept-frames.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

describe('keptFrames', () => {
  it('keptFrames keeps every minute of two hours, every tenth of a day, every hour of a month, and nothing older', () => {
    const now = 40 * day;
    const kept = keptFrames(every(minute, 0, now), now);
    const within = (from: number, to: number) => kept.filter((at) => now - at > from && now - at <= to).length;
    expect(within(-1, 2 * hour)).toBe(121);
    expect(within(2 * hour, day)).toBe((22 * hour) / (10 * minute));
    expect(within(day, 30 * day)).toBeLessThanOrEqual(29 * 24 + 1);
    expect(within(30 * day, 41 * day)).toBe(0);
  });

  it('keptFrames keeps the same frames when it is asked again and again as time passes', () => {
    let kept: number[] = [];
    for (const now of every(minute, 0, 3 * day)) kept = keptFrames([...kept, now], now);
    expect(kept).toEqual(keptFrames(every(minute, 0, 3 * day), 3 * day));
    expect(kept.length).toBeLessThan(121 + 132 + 49);
  });
});

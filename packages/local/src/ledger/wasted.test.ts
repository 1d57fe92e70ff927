import { describe, expect, it } from 'vitest';
import { type WastedMinute, WastedMinutes } from './wasted.ts';

const minute: WastedMinute = {
  mode: 'jobs',
  desired: 1,
  sizedByPerson: false,
  good: true,
  moves: false,
  ids: ['i-1'],
};

/** How many minutes after these the surplus is reported, of at most a hundred. */
function reportedAfter(before: readonly Partial<WastedMinute>[], then: Partial<WastedMinute> = {}): number | undefined {
  const wasted = new WastedMinutes();
  for (const change of before) expect(wasted.note({ ...minute, ...change })).toEqual([]);
  for (let passed = 1; passed <= 100; passed++) if (wasted.note({ ...minute, ...then }).length > 0) return passed;
  return undefined;
}

const times = (count: number, change: Partial<WastedMinute>) => Array.from({ length: count }, () => change);

describe('the minutes of an instance that is there for nothing', () => {
  it('wasted minutes are reported after 20 good ones in jobs mode and after 30 in idle mode', () => {
    expect([reportedAfter([]), reportedAfter([], { mode: 'idle' })]).toEqual([22, 32]);
  });

  it('wasted minutes are reported by the pace of the mode that the fleet has now, from its change on', () => {
    expect(reportedAfter(times(25, { mode: 'idle' }))).toBe(22);
    expect(reportedAfter(times(15, {}), { mode: 'idle' })).toBe(32);
  });

  it('wasted minutes are counted from the sizes that a person has set, as a fleet is taken down', () => {
    expect(reportedAfter([...times(15, {}), { sizedByPerson: true }])).toBe(21);
  });

  it('wasted minutes are not counted while something is in the way, nor in idle mode while instances come or go', () => {
    expect(reportedAfter([{}], { good: false })).toBeUndefined();
    expect(reportedAfter([{}], { mode: 'idle', moves: true })).toBeUndefined();
    expect(reportedAfter([], { moves: true })).toBe(22);
  });

  it('wasted minutes begin again in idle mode when one has left, and are reported at rest', () => {
    expect(reportedAfter([...times(25, { mode: 'idle', desired: 2 })], { mode: 'idle' })).toBe(32);
    const wasted = new WastedMinutes();
    for (let passed = 0; passed < 25; passed++) wasted.note(minute);
    expect([wasted.tooLong('jobs'), wasted.tooLong('idle')]).toEqual([['i-1'], []]);
  });
});

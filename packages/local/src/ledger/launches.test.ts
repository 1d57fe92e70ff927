import { describe, expect, it } from 'vitest';
import { accountLoops, type Launch, launchesWhileAway } from './launches.ts';

const minute = 60_000;
const launch = (at: number, more: Partial<Launch> = {}): Launch => ({
  instanceId: `i-${at}`,
  at: at * minute,
  struck: false,
  ...more,
});
/** Launched at this minute, and ended by us after a quarter of an hour. */
const failed = (at: number, more: Partial<Launch> = {}) =>
  launch(at, { endedAt: (at + 15) * minute, begunBy: 'us', ...more });
const loops = (launches: readonly Launch[], atMinute: number, alarmOn = true) =>
  accountLoops(launches, { desired: 1, alarmOn, now: atMinute * minute });

describe('launches that fail one after the other', () => {
  const three = [failed(0), failed(16), failed(32)];

  it('two in a row may be an accident', () => {
    expect(loops([failed(0), failed(16)], 60, false)).toBeUndefined();
  });

  it('three in a row need an alarm, and have a quarter of an hour for it', () => {
    expect(loops(three, 60, false)).toBeUndefined();
    expect(loops(three, 63, false)).toBe('3 launches in a row failed, and no alarm is on');
    expect(loops(three, 63, true)).toBeUndefined();
  });

  it('after three in a row each place has one launch in half an hour', () => {
    const more = [...three, failed(50), failed(66)];

    expect(loops(three.concat(launch(50)), 66)).toBeUndefined();
    expect(loops(more, 67)).toContain('2 more were made within 30 minutes for 1 instances');
  });

  it.each<[string, Partial<Launch>]>([
    ['a launch that served', { servedAt: 40 * minute }],
    ['a launch that a fault struck', { struck: true }],
    ['a launch that a person ended', { begunBy: 'person' }],
  ])('%s is no failure', (_, more) => {
    expect(loops([failed(0), failed(16), failed(32, more)], 63, false)).toBeUndefined();
  });

  it('a success resets the count', () => {
    const later = [launch(50, { servedAt: 55 * minute }), failed(60), failed(76)];

    expect(loops([...three, ...later], 95, false)).toBeUndefined();
  });
});

describe('launches while GitHub is away', () => {
  const away = (launches: readonly Launch[], more: object = {}) =>
    launchesWhileAway({ mode: 'jobs', since: 0, launches, owed: 0, serving: 6, floor: 0, ...more });

  it('count once the news from before has been acted on', () => {
    expect(away([launch(1)])).toBe(0);
    expect(away([launch(1), launch(2)])).toBe(1);
    expect(away([launch(1), launch(2)], { mode: 'idle' })).toBe(0);
  });

  it('do not count up to the minimum or the idle target', () => {
    expect(away([launch(6), launch(7)], { serving: 2, floor: 2 })).toBe(0);
    expect(away([launch(6), launch(7)], { serving: 3, floor: 2 })).toBe(1);
  });

  it('do not count for instances that AWS or a person took away', () => {
    expect(away([launch(6), launch(7)], { owed: 2 })).toBe(0);
  });
});

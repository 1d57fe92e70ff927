import { describe, expect, it } from 'vitest';
import type { HostReport } from '../../model/fleet.ts';
import { breakerIsOpen, noteReclaims, spotClosedBecause } from './decide-spot.ts';

const minutes = (count: number) => count * 60_000;
const now = minutes(1000);
const ago = (...times: readonly number[]) =>
  Object.fromEntries(times.map((time, index) => [`i-${index}`, now - minutes(time)]));

describe('the breaker of spot instances', () => {
  it.each([
    ['no reclaim', [], 5, false],
    ['one reclaim', [1], 5, false],
    ['two reclaims within a quarter of an hour', [10, 1], 5, true],
    ['two reclaims that are further apart', [20, 1], 5, false],
    ['two reclaims, for half an hour', [40, 29], 5, true],
    ['two reclaims, no longer', [40, 30], 5, false],
    ['two reclaims in a group of 100', [10, 1], 100, false],
    ['ten reclaims in a group of 100', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 100, true],
  ])('%s: opens it or not', (_, times, present, expected) => {
    expect(breakerIsOpen(ago(...times), present, now)).toBe(expected);
  });

  it('a reclaim counts once, from when it was first seen, and is forgotten when it no longer counts', () => {
    const report: HostReport = { at: now, workers: 1, phase: 'draining', reclaimed: true };
    const reports = new Map([
      ['i-0', report],
      ['i-1', { ...report, reclaimed: false }],
    ]);

    const noted = noteReclaims(undefined, reports, now);
    expect(noted).toEqual({ 'i-0': now });
    expect(noteReclaims(noted, reports, now + minutes(2))).toEqual(noted);
    expect(noteReclaims(noted, new Map(), now + minutes(45))).toEqual({});
    expect(noteReclaims(undefined, new Map(), now)).toBeUndefined();
  });
});

describe('whether anything is launched as spot', () => {
  const group = { instances: [], fallback: { desiredCapacity: 0, maxSize: 5 } };
  it.each([
    ['while launches succeed', group, undefined, {}, undefined],
    ['for ten minutes after a launch failed', group, now - minutes(9), {}, 'no-capacity'],
    ['from then on again', group, now - minutes(10), {}, undefined],
    ['while the breaker is open', group, undefined, ago(1, 2), 'reclaims'],
    ['without a fallback', { instances: [] }, now, ago(1, 2), undefined],
    [
      'while the fallback is taken down',
      { ...group, fallback: { desiredCapacity: 0, maxSize: 0 } },
      now,
      ago(1, 2),
      undefined,
    ],
  ] as const)('%s', (_, of, launchFailedAt, reclaims, expected) => {
    expect(spotClosedBecause(of, { launchFailedAt, reclaims }, now)).toBe(expected);
  });

  it('nothing is launched as spot while an interrupted job that is run again waits for an instance', () => {
    const seen = { launchFailedAt: undefined, reclaims: undefined, rerunWaits: true };
    expect(spotClosedBecause(group, seen, now)).toBe('rerun');
    expect(spotClosedBecause({ instances: [] }, seen, now)).toBeUndefined();
  });
});

import type { IdleTargetSchedule } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import { idleTarget } from './idle-target.ts';

const berlin = (cron: string, idleRunnersTargetCount: number): IdleTargetSchedule => ({
  cron,
  timeZone: 'Europe/Berlin',
  idleRunnersTargetCount,
});
const workdays = [berlin('0 8 * * 1-5', 5), berlin('0 18 * * 1-5', 1)];

describe('the idle target in force', () => {
  it.each([
    ['on a Monday before work', '2026-11-16T06:59:59Z', 1],
    ['on a Monday at 08:00', '2026-11-16T07:00:00Z', 5],
    ['on a Monday at 18:00', '2026-11-16T17:00:00Z', 1],
    ['on a Saturday at noon, from Friday evening', '2026-11-21T12:00:00Z', 1],
    ['in summer at 08:00 of daylight saving time', '2026-07-13T06:00:00Z', 5],
    ['in summer before 08:00', '2026-07-13T05:59:00Z', 1],
  ])('the idle target in force %s', (_, now, target) => {
    expect(idleTarget(2, workdays, Date.parse(now))).toBe(target);
  });

  it('the idle target in force is the usual one without schedules, and the later of two that fire at once', () => {
    expect(idleTarget(2, [], 0)).toBe(2);
    expect(idleTarget(2, [berlin('* * * * *', 3), berlin('* * * * *', 4)], 0)).toBe(4);
  });

  it('the idle target in force compares schedules of several time zones by the moment at which they fired', () => {
    const tokyo = { cron: '0 8 * * *', timeZone: 'Asia/Tokyo', idleRunnersTargetCount: 7 };

    expect(idleTarget(0, [tokyo, berlin('0 8 * * *', 3)], Date.parse('2026-11-16T06:59:00Z'))).toBe(7);
    expect(idleTarget(0, [tokyo, berlin('0 8 * * *', 3)], Date.parse('2026-11-16T07:00:00Z'))).toBe(3);
  });
});

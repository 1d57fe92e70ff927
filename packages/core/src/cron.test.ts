import { describe, expect, it } from 'vitest';
import { isTimeZone, lastFiring, parseCron } from './cron.ts';

const firing = (cron: string, timeZone: string, now: string) => {
  const at = lastFiring(parseCron(cron)!, timeZone, Date.parse(now));
  return at === undefined ? undefined : new Date(at).toISOString();
};

describe('cron expressions', () => {
  it.each([
    ['an exact time', '30 6 * * *', '2026-11-15T06:30:00.000Z'],
    ['the minute of now', '0 6 * * *', '2026-11-16T06:00:00.000Z'],
    ['a list', '0 1,4,22 * * *', '2026-11-16T04:00:00.000Z'],
    ['steps of a range', '0-30/15 5 * * *', '2026-11-16T05:30:00.000Z'],
    ['a step from a number', '10/20 5 * * *', '2026-11-16T05:50:00.000Z'],
    ['names of weekdays', '0 8 * * mon-fri', '2026-11-13T08:00:00.000Z'],
    ['Sunday as 7', '0 8 * * 7', '2026-11-15T08:00:00.000Z'],
    ['names of months', '0 0 1 JAN,jul *', '2026-07-01T00:00:00.000Z'],
    ['either of two day fields', '0 0 10 * 6', '2026-11-14T00:00:00.000Z'],
    ['both day fields where one is a step of all', '0 0 */2 * 6', '2026-11-07T00:00:00.000Z'],
    ['29 February', '0 0 29 2 *', '2024-02-29T00:00:00.000Z'],
  ])('%s is found before Monday, 2026-11-16, 06:00', (_, cron, expected) => {
    expect(firing(cron, 'UTC', '2026-11-16T06:00:59Z')).toBe(expected);
  });

  it.each([
    [
      'is as much later when daylight saving skips it',
      '30 2 * * *',
      '2026-03-29T12:00:00Z',
      '2026-03-29T01:30:00.000Z',
    ],
    ['is the first of both when it comes twice', '30 2 * * *', '2026-10-25T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['is not repeated in the second of both hours', '30 2 * * *', '2026-10-25T01:10:00Z', '2026-10-25T00:30:00.000Z'],
    ['is on the local day, not that of UTC', '30 0 16 11 *', '2026-11-15T23:30:00Z', '2026-11-15T23:30:00.000Z'],
  ])('a time in Berlin %s', (_, cron, now, expected) => {
    expect(firing(cron, 'Europe/Berlin', now)).toBe(expected);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    '1-2-3 * * * *',
    '@daily',
    '0 8 ? * 1',
    '0 8 L * *',
    '0 8 * * mo',
    '0 0 31 2,4 *',
    'a b c d e',
    ', * * * *',
  ])('%j cannot be read or never fires', (cron) => {
    expect(parseCron(cron)).toBeUndefined();
  });

  it('names of the time-zone database are time zones', () => {
    expect(['Europe/Berlin', 'UTC', 'America/New_York'].every(isTimeZone)).toBe(true);
    expect(['Berlin', '', 'Europe/Nowhere'].some(isTimeZone)).toBe(false);
  });
});

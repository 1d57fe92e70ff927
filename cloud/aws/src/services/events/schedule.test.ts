import { expect, it } from 'vitest';
import { parseSchedule } from './schedule.ts';

// Monday
const made = Date.UTC(2026, 0, 5, 10, 30, 20);

const next = (expression: string, count = 1, from = made) => {
  const schedule = parseSchedule(expression, made);
  const times: string[] = [];
  for (let at: number | undefined = from; times.length < count; ) {
    at = schedule(at);
    if (at === undefined) break;
    times.push(new Date(at).toISOString().replace(':00.000Z', '').replace('T', ' '));
  }
  return times;
};

it.each([
  ['rate(1 minute)', ['2026-01-05 10:31:20.000Z']],
  ['rate(5 minutes)', ['2026-01-05 10:35:20.000Z']],
  ['rate(12 hours)', ['2026-01-05 22:30:20.000Z']],
  ['cron(0 10 * * ? *)', ['2026-01-06 10:00']],
  ['cron(15 12 * * ? *)', ['2026-01-05 12:15']],
  ['cron(0 18 ? * MON-FRI *)', ['2026-01-05 18:00', '2026-01-06 18:00']],
  ['cron(0/15 * * * ? *)', ['2026-01-05 10:45', '2026-01-05 11:00', '2026-01-05 11:15']],
  ['cron(0 8 1 * ? *)', ['2026-02-01 08:00', '2026-03-01 08:00']],
  ['cron(0 0 L * ? *)', ['2026-01-31 00:00', '2026-02-28 00:00']],
  ['cron(0 0 ? * 6#3 *)', ['2026-01-16 00:00', '2026-02-20 00:00']],
  ['cron(0 0 ? * 2L *)', ['2026-01-26 00:00']],
  ['cron(0 0 3W * ? *)', ['2026-02-03 00:00', '2026-03-03 00:00', '2026-04-03 00:00']],
  ['cron(0 9 29 2 ? *)', ['2028-02-29 09:00']],
  ['cron(0 9 1 1 ? 2025)', []],
])('%s comes next at %j', (expression, expected) => {
  expect(next(expression, Math.max(1, expected.length))).toEqual(expected);
});

it.each([
  'rate(1 minutes)',
  'rate(5 minute)',
  'rate(0 minutes)',
  'rate(30 seconds)',
  'cron(0 10 * * * *)',
  'cron(0 10 ? * ? *)',
  'cron(60 10 * * ? *)',
  'cron(0 10 * * ?)',
  '5 minutes',
])('%s is refused', (expression) => {
  expect(() => parseSchedule(expression, made)).toThrow('Parameter ScheduleExpression is not valid.');
});

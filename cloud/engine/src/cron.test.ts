import { expect, it } from 'vitest';
import { type CronDialect, parseCron } from './cron.ts';

const quartz: CronDialect = {
  fields: ['second', 'minute', 'hour', 'day', 'month', 'weekday', 'year'],
  optionalYear: true,
  questionMark: 'optional',
  extended: true,
  refuse: () => new Error('refused'),
};
// Monday
const monday = Date.UTC(2026, 0, 5);

it.each([
  ['30 0 0 * * ?', '2026-01-05T00:00:30'],
  ['0 0/20 1 * * ?', '2026-01-05T01:00:00'],
  ['0 0 0 L-3 * ?', '2026-01-28T00:00:00'],
  ['0 0 0 LW * ?', '2026-01-30T00:00:00'],
  ['0 0 0 ? * FRI-SUN', '2026-01-09T00:00:00'],
  ['0 0 12 1 1 ? 2027', '2027-01-01T12:00:00'],
  ['0 0 0 31 2 ?', undefined],
])('a cron expression with seconds, %s, comes next at %s', (expression, expected) => {
  const next = parseCron(expression, quartz)(monday);
  expect(next === undefined ? undefined : new Date(next).toISOString().slice(0, 19)).toBe(expected);
});

it.each(['', '0 0 0 * *', '0 0 0 1 * MON', '0 0 0 ? * ?', '0 0 24 * * ?', '0 0/0 0 * * ?'])(
  'a cron expression that cannot be read is refused: %j',
  (expression) => expect(() => parseCron(expression, quartz)).toThrow('refused'),
);

it('a range that runs backwards is refused in a dialect without extensions', () => {
  const plain: CronDialect = { ...quartz, extended: false };
  expect(() => parseCron('0 0 0 ? * FRI-MON', plain)).toThrow('refused');
});

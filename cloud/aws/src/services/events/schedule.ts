import { type CronDialect, parseCron, type Schedule } from '@drover/cloud-engine';
import { validation } from './errors.ts';

const badExpression = () => validation('Parameter ScheduleExpression is not valid.');

/** Six fields, of which one day field is `?`. (EventBridge User Guide, "Cron expressions".) */
const dialect: CronDialect = {
  fields: ['minute', 'hour', 'day', 'month', 'weekday', 'year'],
  questionMark: 'required',
  refuse: badExpression,
};

/**
 * `rate(5 minutes)` or `cron(minutes hours day-of-month month day-of-week year)`, in UTC, with a precision of a minute.
 * (EventBridge User Guide, "Setting a schedule pattern for scheduled rules".)
 */
export function parseSchedule(expression: string, createdAtMs: number): Schedule {
  const rate = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression);
  if (rate !== null) return rateSchedule(Number(rate[1]), rate[2]!, rate[3] === 's', createdAtMs);
  const cron = /^cron\((.+)\)$/.exec(expression);
  if (cron === null) throw badExpression();
  return parseCron(cron[1]!, dialect);
}

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** "1 minute" is singular, everything else plural; the first run is one period after the rule was made. */
function rateSchedule(count: number, unit: string, plural: boolean, createdAtMs: number): Schedule {
  if (count < 1 || plural !== count > 1) throw badExpression();
  const periodMs = count * unitMs[unit]!;
  return (afterMs) => createdAtMs + (Math.floor((afterMs - createdAtMs) / periodMs) + 1) * periodMs;
}

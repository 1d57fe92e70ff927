import { validation } from './errors.ts';

/** When a schedule fires next, strictly after a moment. */
export type Schedule = (afterMs: number) => number | undefined;

const badExpression = () => validation('Parameter ScheduleExpression is not valid.');

/**
 * `rate(5 minutes)` or `cron(minutes hours day-of-month month day-of-week year)`, in UTC, with a precision of a minute.
 * (EventBridge User Guide, "Setting a schedule pattern for scheduled rules".)
 */
export function parseSchedule(expression: string, createdAtMs: number): Schedule {
  const rate = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression);
  if (rate !== null) return rateSchedule(Number(rate[1]), rate[2]!, rate[3] === 's', createdAtMs);
  const cron = /^cron\((.+)\)$/.exec(expression);
  if (cron === null) throw badExpression();
  return cronSchedule(cron[1]!.trim().split(/\s+/));
}

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** "1 minute" is singular, everything else plural; the first run is one period after the rule was made. */
function rateSchedule(count: number, unit: string, plural: boolean, createdAtMs: number): Schedule {
  if (count < 1 || plural !== count > 1) throw badExpression();
  const periodMs = count * unitMs[unit]!;
  return (afterMs) => createdAtMs + (Math.floor((afterMs - createdAtMs) / periodMs) + 1) * periodMs;
}

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
/** 1 is Sunday. */
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const fields = {
  minute: { least: 0, most: 59 },
  hour: { least: 0, most: 23 },
  day: { least: 1, most: 31 },
  month: { least: 1, most: 12, names: months },
  weekday: { least: 1, most: 7, names: weekdays },
  year: { least: 1970, most: 2199 },
} satisfies Record<string, Field>;

/** Whether a date fits a field that depends on the month: `L`, `15W`, `6#3`, `3L`. */
type DayTest = (date: Date) => boolean;

/** Days are looked through for this long; a cron expression that never comes true has no next time. */
const searchedDays = 366 * 8;

function cronSchedule(parts: readonly string[]): Schedule {
  const [minute, hour, day, month, weekday, year] = parts;
  if (parts.length !== 6 || (day === '?') === (weekday === '?')) throw badExpression();
  const minutes = [...numbers(minute!, fields.minute)].sort((a, b) => a - b);
  const hours = [...numbers(hour!, fields.hour)].sort((a, b) => a - b);
  const monthSet = numbers(month!, fields.month);
  const years = numbers(year!, fields.year);
  const fits = day === '?' ? weekdayTest(weekday!) : dayTest(day!);
  const dayFits = (date: Date) =>
    years.has(date.getUTCFullYear()) && monthSet.has(date.getUTCMonth() + 1) && fits(date);
  return (afterMs) => nextMinute(afterMs, dayFits, hours, minutes);
}

function nextMinute(afterMs: number, dayFits: DayTest, hours: readonly number[], minutes: readonly number[]) {
  const midnight = Math.floor(afterMs / 86_400_000) * 86_400_000;
  for (let offset = 0; offset < searchedDays; offset++) {
    const start = midnight + offset * 86_400_000;
    if (!dayFits(new Date(start))) continue;
    for (const hour of hours)
      for (const minute of minutes) {
        const at = start + hour * 3_600_000 + minute * 60_000;
        if (at > afterMs) return at;
      }
  }
  return undefined;
}

/** `*`, `5`, `1-3`, `1,2`, `0/15`, `MON-FRI`. */
function numbers(text: string, field: Field): Set<number> {
  const result = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step] = part.split('/');
    const [first, last] = rangeOf(range, field, step !== undefined);
    const by = step === undefined ? 1 : Number(step);
    if (!Number.isInteger(by) || by < 1 || first > last) throw badExpression();
    for (let value = first; value <= last; value += by) result.add(value);
  }
  return result;
}

function rangeOf(range: string, field: Field, stepped: boolean): [number, number] {
  if (range === '*') return [field.least, field.most];
  const [first, last] = range.split('-').map((each) => numberOf(each, field));
  return [first!, last ?? (stepped ? field.most : first!)];
}

function numberOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  const value = named >= 0 ? named + field.least : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= field.least && value <= field.most)) throw badExpression();
  return value;
}

const lastDayOf = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

/** Day of month, with `L` for the last day and `15W` for the weekday nearest to the 15th. */
function dayTest(text: string): DayTest {
  if (text === 'L') return (date) => date.getUTCDate() === lastDayOf(date);
  const near = /^(\d+)W$/.exec(text);
  if (near !== null) return (date) => date.getUTCDate() === nearestWeekday(date, Number(near[1]));
  const days = numbers(text, fields.day);
  return (date) => days.has(date.getUTCDate());
}

function nearestWeekday(date: Date, wanted: number): number {
  const day = Math.min(wanted, lastDayOf(date));
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay();
  if (weekday === 6) return day > 1 ? day - 1 : day + 2;
  if (weekday === 0) return day < lastDayOf(date) ? day + 1 : day - 2;
  return day;
}

/** Day of week, with `6#3` for the third Friday and `6L` for the last one. */
function weekdayTest(text: string): DayTest {
  const nth = /^(.+)#([1-5])$/.exec(text);
  if (nth !== null) {
    const wanted = numberOf(nth[1]!, fields.weekday);
    return (date) => date.getUTCDay() + 1 === wanted && Math.ceil(date.getUTCDate() / 7) === Number(nth[2]);
  }
  const last = /^(.+)L$/.exec(text);
  if (last !== null) {
    const wanted = numberOf(last[1]!, fields.weekday);
    return (date) => date.getUTCDay() + 1 === wanted && date.getUTCDate() > lastDayOf(date) - 7;
  }
  const days = text === 'L' ? new Set([7]) : numbers(text, fields.weekday);
  return (date) => days.has(date.getUTCDay() + 1);
}

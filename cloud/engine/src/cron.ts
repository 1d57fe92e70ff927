import { type CronField, numbersOf } from '@drover/core/cron';

/** When a schedule fires next, in UTC and strictly after a moment; undefined: never again. */
export type Schedule = (afterMs: number) => number | undefined;

/** The fields of an expression in the order in which they are written. Weekdays count from 1 (Sunday). */
type FieldName = keyof typeof fields;

/** How a system writes cron expressions. */
export interface CronDialect {
  readonly fields: readonly FieldName[];
  /** The last field may be left out. */
  readonly optionalYear?: boolean;
  /** Whether one of the two day fields must be `?`, or may be. */
  readonly questionMark: 'required' | 'optional';
  /** `FRI-MON` and `L-3`, `LW` are understood. */
  readonly extended?: boolean;
  /** The error for an expression that cannot be read. */
  refuse(): Error;
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const fields = {
  second: { least: 0, most: 59 },
  minute: { least: 0, most: 59 },
  hour: { least: 0, most: 23 },
  day: { least: 1, most: 31 },
  month: { least: 1, most: 12, names: monthNames },
  weekday: { least: 1, most: 7, names: weekdays },
  year: { least: 1970, most: 2199 },
} satisfies Record<string, CronField>;

/** Whether a date fits a field that depends on the month: `L`, `15W`, `6#3`, `3L`. */
type DayTest = (date: Date) => boolean;

/** An expression that matches no day in this many, which include a 29 February, never matches. */
const searchedDays = 366 * 8;
const dayMs = 86_400_000;

/** Reads a cron expression. */
export function parseCron(expression: string, dialect: CronDialect): Schedule {
  const parts = expression.trim().toUpperCase().split(/\s+/);
  const missing = dialect.fields.length - parts.length;
  if (missing !== 0 && !(missing === 1 && dialect.optionalYear)) throw dialect.refuse();
  const text = (name: FieldName, absent = '*') => parts[dialect.fields.indexOf(name)] ?? absent;
  checkDays(text('day'), text('weekday'), dialect);
  const of = (name: FieldName, absent?: string) => numbers(text(name, absent), name, dialect);
  const [seconds, minutes, hours] = [of('second', '0'), of('minute'), of('hour')];
  const times = () => timesOfDay(hours, minutes, seconds);
  const [months, years] = [of('month'), of('year')];
  const isDay = dayTest(text('day'), dialect);
  const isWeekday = weekdayTest(text('weekday'), dialect);
  const fits = (date: Date) =>
    years.includes(date.getUTCFullYear()) && months.includes(date.getUTCMonth() + 1) && isDay(date) && isWeekday(date);
  return (afterMs) => nextAfter(afterMs, fits, times);
}

function checkDays(day: string, weekday: string, dialect: CronDialect): void {
  if (day === '?' && weekday === '?') throw dialect.refuse();
  const open = dialect.questionMark === 'required' ? ['?'] : ['?', '*'];
  if (!open.includes(day) && !open.includes(weekday)) throw dialect.refuse();
}

function nextAfter(afterMs: number, fits: DayTest, times: () => Iterable<number>): number | undefined {
  const midnight = Math.floor(afterMs / dayMs) * dayMs;
  for (let day = 0; day < searchedDays; day++) {
    const startMs = midnight + day * dayMs;
    if (!fits(new Date(startMs))) continue;
    for (const time of times()) if (startMs + time > afterMs) return startMs + time;
  }
  return undefined;
}

function* timesOfDay(hours: readonly number[], minutes: readonly number[], seconds: readonly number[]) {
  for (const hour of hours)
    for (const minute of minutes) for (const second of seconds) yield ((hour * 60 + minute) * 60 + second) * 1000;
}

function numbers(text: string, name: FieldName, dialect: CronDialect): readonly number[] {
  const found = numbersOf(text, { ...fields[name], wraps: dialect.extended === true });
  if (found === undefined) throw dialect.refuse();
  return found;
}

const lastDayOf = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

/** Day of month, with `L` for the last day, `L-3` for the third before it, and `15W` for the weekday nearest to the 15th. */
function dayTest(text: string, dialect: CronDialect): DayTest {
  if (text === '?') return () => true;
  const last = /^L(?:-(\d+))?(W)?$/.exec(text);
  if (last !== null && (text === 'L' || dialect.extended)) {
    const wanted = (date: Date) => lastDayOf(date) - Number(last[1] ?? 0);
    return (date) => date.getUTCDate() === (last[2] ? nearestWeekday(date, wanted(date)) : wanted(date));
  }
  const near = /^(\d+)W$/.exec(text);
  if (near !== null) return (date) => date.getUTCDate() === nearestWeekday(date, Number(near[1]));
  const days = numbers(text, 'day', dialect);
  return (date) => days.includes(date.getUTCDate());
}

/** The weekday nearest to a day of the month, within that month. */
function nearestWeekday(date: Date, wanted: number): number {
  const day = Math.min(wanted, lastDayOf(date));
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay();
  if (weekday === 6) return day > 1 ? day - 1 : day + 2;
  if (weekday === 0) return day < lastDayOf(date) ? day + 1 : day - 2;
  return day;
}

/** Day of week, with `6#3` for the third Friday and `6L` for the last one. */
function weekdayTest(text: string, dialect: CronDialect): DayTest {
  if (text === '?') return () => true;
  const [, name, kind, nth] = /^(\w+)(#([1-5])|L)$/.exec(text) ?? [];
  if (name !== undefined) {
    const [wanted] = numbers(name, 'weekday', dialect);
    const inWeek = (date: Date) =>
      kind === 'L' ? date.getUTCDate() > lastDayOf(date) - 7 : Math.ceil(date.getUTCDate() / 7) === Number(nth);
    return (date) => date.getUTCDay() + 1 === wanted && inWeek(date);
  }
  const days = text === 'L' ? [7] : numbers(text, 'weekday', dialect);
  return (date) => days.includes(date.getUTCDay() + 1);
}

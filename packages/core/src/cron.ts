import { dayMs } from './clock.ts';

/** A time of the week or year in cron's five fields: minute, hour, day of month, month, day of week. */
export interface CronExpression {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Whether it fires on this day, which is given at midnight UTC. */
  firesOn(day: Date): boolean;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The numbers of a field, and the names of them from the least on. */
export interface CronField {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
  /** A range may run over the end: `fri-mon`. */
  readonly wraps?: boolean;
}

/** The longest time between two leap days. */
const searchedDays = 8 * 366;

/**
 * Reads `0 8 * * 1-5`: numbers, `*`, lists, ranges, steps, and the names of months and weekdays, as in crontab(5); a day fits when
 * either of two restricted day fields does. Not understood: `@daily`, `L`, `W`, `#`, `?` and seconds. Undefined: it cannot be read, or
 * never fires.
 */
export function parseCron(expression: string): CronExpression | undefined {
  const [minute, hour, day, month, weekday, ...more] = expression.trim().toLowerCase().split(/\s+/);
  if (weekday === undefined || more.length > 0) return undefined;
  const minutes = numbersOf(minute!, { least: 0, most: 59 });
  const hours = numbersOf(hour!, { least: 0, most: 23 });
  const days = numbersOf(day!, { least: 1, most: 31 });
  const inMonths = numbersOf(month!, { least: 1, most: 12, names: months });
  const onWeekdays = numbersOf(weekday, { least: 0, most: 7, names: weekdays })?.map((number) => number % 7);
  if (!(minutes && hours && days && inMonths && onWeekdays)) return undefined;
  const either = !day!.startsWith('*') && !weekday.startsWith('*');
  const firesOn = (date: Date) => {
    const [fits, fitsWeek] = [days.includes(date.getUTCDate()), onWeekdays.includes(date.getUTCDay())];
    return inMonths.includes(date.getUTCMonth() + 1) && (either ? fits || fitsWeek : fits && fitsWeek);
  };
  const ever = Array.from({ length: searchedDays }, (_, index) => index).some((index) =>
    firesOn(new Date(index * dayMs)),
  );
  return ever ? { minutes, hours, firesOn } : undefined;
}

/** The numbers of `*`, `5`, `1-3`, `1,2`, `0/15` or `mon-fri`, from the least on; undefined: it cannot be read. */
export function numbersOf(text: string, field: CronField): readonly number[] | undefined {
  const { least, most, names = [], wraps = false } = field;
  const size = most - least + 1;
  const isInside = (number: number) => number >= least && number <= most;
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const ends = range === '*' ? [least, most] : range.split('-').map((each) => numberOf(each, least, names));
    const [first = Number.NaN, last = step === undefined ? first : most] = ends;
    const by = Number(step ?? 1);
    const end = first > last && wraps ? last + size : last;
    if (!(ends.length <= 2 && isInside(first) && isInside(last) && first <= end && by > 0)) return undefined;
    for (let number = first; number <= end; number += by) found.add(number > most ? number - size : number);
  }
  return [...found].sort((a, b) => a - b);
}

const numberOf = (text: string, least: number, names: readonly string[]) =>
  names.includes(text) ? names.indexOf(text) + least : /^\d+$/.test(text) ? Number(text) : Number.NaN;

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/**
 * When the expression last fired, by the clock on the wall in the time zone; undefined: not within the searched days before now. A time that
 * daylight saving skips is as much later; one that comes twice is the first of both.
 */
export function lastFiring(cron: CronExpression, timeZone: string, now: number): number | undefined {
  const offsetAt = offsets(timeZone);
  const today = Math.floor((now + offsetAt(now)) / dayMs);
  for (let day = today; day > today - searchedDays; day--) {
    if (!cron.firesOn(new Date(day * dayMs))) continue;
    for (const hour of cron.hours.toReversed())
      for (const minute of cron.minutes.toReversed()) {
        const at = instantOf(day * dayMs + (hour * 60 + minute) * 60_000, offsetAt);
        if (at <= now) return at;
      }
  }
  return undefined;
}

/** The moment at which the clock on the wall shows this time. */
function instantOf(wall: number, offsetAt: (at: number) => number): number {
  const [before, after] = [wall - offsetAt(wall - dayMs), wall - offsetAt(wall + dayMs)];
  const shown = [before, after].filter((at) => at + offsetAt(at) === wall);
  return shown.length === 0 ? before : Math.min(...shown);
}

/** How far the clock on the wall is ahead of UTC at a moment. */
function offsets(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  };
}

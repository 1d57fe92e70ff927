/** A schedule that cannot be read. */
export class ScheduleError extends Error {}

/** A cron expression in Quartz's form ("Cron expressions"): second, minute, hour, day, month, day of week, year. 1 = Sunday. */
export interface Quartz {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: ReadonlySet<number>;
  readonly years: ReadonlySet<number> | undefined;
  readonly days: DayRule;
  readonly weekdays: WeekdayRule;
}

type DayRule =
  | { readonly kind: 'any' }
  | { readonly kind: 'list'; readonly days: ReadonlySet<number> }
  | { readonly kind: 'last'; readonly offset: number; readonly weekday: boolean }
  | { readonly kind: 'nearest'; readonly day: number };
type WeekdayRule =
  | { readonly kind: 'any' }
  | { readonly kind: 'list'; readonly days: ReadonlySet<number> }
  | { readonly kind: 'last'; readonly day: number }
  | { readonly kind: 'nth'; readonly day: number; readonly nth: number };

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
/** No schedule looks further ahead. */
const horizonDays = 366 * 8;

export function parseQuartz(expression: string): Quartz {
  const parts = expression.trim().toUpperCase().split(/\s+/);
  if (parts.length < 6 || parts.length > 7) throw new ScheduleError(`invalid cron expression [${expression}]`);
  const [seconds, minutes, hours, days, months, weekdays, years] = parts as [
    string,
    string,
    string,
    string,
    string,
    string,
    string | undefined,
  ];
  if (days !== '?' && weekdays !== '?' && days !== '*' && weekdays !== '*')
    throw new ScheduleError(
      'Support for specifying both a day-of-week AND a day-of-month parameter is not implemented.',
    );
  if (days === '?' && weekdays === '?')
    throw new ScheduleError("'?' can only be specfied for Day-of-Month -OR- Day-of-Week.");
  return {
    seconds: sorted(seconds, 0, 59),
    minutes: sorted(minutes, 0, 59),
    hours: sorted(hours, 0, 23),
    months: numbers(months, 1, 12, monthNames),
    years: years === undefined || years === '*' ? undefined : numbers(years, 1970, 2200),
    days: dayRule(days),
    weekdays: weekdayRule(weekdays),
  };
}

const sorted = (field: string, least: number, most: number) => [...numbers(field, least, most)].sort((a, b) => a - b);

function numbers(field: string, least: number, most: number, names: readonly string[] = []): Set<number> {
  const found = new Set<number>();
  for (const part of field.split(',')) {
    const [range, step] = part.split('/') as [string, string | undefined];
    const [from, to] = bounds(range, least, most, names, step !== undefined);
    const by = step === undefined ? 1 : Number(step);
    if (!Number.isInteger(by) || by < 1) throw new ScheduleError(`illegal step [${step}]`);
    const end = to < from ? to + (most - least + 1) : to;
    for (let value = from; value <= end; value += by) found.add(value > most ? value - (most - least + 1) : value);
  }
  return found;
}

function bounds(
  range: string,
  least: number,
  most: number,
  names: readonly string[],
  stepped: boolean,
): [number, number] {
  if (range === '*' || range === '?' || range === '') return [least, most];
  const [first, last] = range.split('-') as [string, string | undefined];
  const from = numberOf(first, least, most, names);
  if (last !== undefined) return [from, numberOf(last, least, most, names)];
  return [from, stepped ? most : from];
}

function numberOf(text: string, least: number, most: number, names: readonly string[]): number {
  const named = names.indexOf(text);
  const value = named >= 0 ? named + 1 : Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new ScheduleError(`illegal value [${text}]: must be between ${least} and ${most}`);
  return value;
}

function dayRule(field: string): DayRule {
  if (field === '?' || field === '*') return { kind: 'any' };
  const last = /^L(?:-(\d+))?(W)?$/.exec(field);
  if (last !== null) return { kind: 'last', offset: Number(last[1] ?? 0), weekday: last[2] !== undefined };
  const nearest = /^(\d+)W$/.exec(field);
  if (nearest !== null) return { kind: 'nearest', day: Number(nearest[1]) };
  return { kind: 'list', days: numbers(field, 1, 31) };
}

function weekdayRule(field: string): WeekdayRule {
  if (field === '?' || field === '*') return { kind: 'any' };
  if (field === 'L') return { kind: 'list', days: new Set([7]) };
  const last = /^(\w+)L$/.exec(field);
  if (last !== null) return { kind: 'last', day: numberOf(last[1]!, 1, 7, dayNames) };
  const nth = /^(\w+)#(\d)$/.exec(field);
  if (nth !== null) return { kind: 'nth', day: numberOf(nth[1]!, 1, 7, dayNames), nth: Number(nth[2]) };
  return { kind: 'list', days: numbers(field, 1, 7, dayNames) };
}

/** The first moment after `afterMs` that the expression names, in UTC; undefined when there is none. */
export function nextRun(quartz: Quartz, afterMs: number): number | undefined {
  const from = Math.floor(afterMs / 1000) * 1000 + 1000;
  const dayMs = 86_400_000;
  const firstDay = Math.floor(from / dayMs) * dayMs;
  for (let day = 0; day < horizonDays; day++) {
    const midnight = firstDay + day * dayMs;
    if (!isDay(quartz, new Date(midnight))) continue;
    const time = firstTime(quartz, day === 0 ? (from - firstDay) / 1000 : 0);
    if (time !== undefined) return midnight + time * 1000;
  }
  return undefined;
}

/** Second of the day, at least `least`. */
function firstTime(quartz: Quartz, least: number): number | undefined {
  for (const hour of quartz.hours) {
    if (hour * 3600 + 3599 < least) continue;
    for (const minute of quartz.minutes) {
      if (hour * 3600 + minute * 60 + 59 < least) continue;
      for (const second of quartz.seconds) {
        const time = hour * 3600 + minute * 60 + second;
        if (time >= least) return time;
      }
    }
  }
  return undefined;
}

function isDay(quartz: Quartz, date: Date): boolean {
  if (!quartz.months.has(date.getUTCMonth() + 1)) return false;
  if (quartz.years !== undefined && !quartz.years.has(date.getUTCFullYear())) return false;
  return isDayOfMonth(quartz.days, date) && isDayOfWeek(quartz.weekdays, date);
}

const lastDay = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

function isDayOfMonth(rule: DayRule, date: Date): boolean {
  const day = date.getUTCDate();
  switch (rule.kind) {
    case 'any':
      return true;
    case 'list':
      return rule.days.has(day);
    case 'last':
      return day === (rule.weekday ? nearestWeekday(date, lastDay(date) - rule.offset) : lastDay(date) - rule.offset);
    case 'nearest':
      return day === nearestWeekday(date, Math.min(rule.day, lastDay(date)));
  }
}

/** The weekday nearest to a day of the month, within that month. */
function nearestWeekday(date: Date, day: number): number {
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay();
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === lastDay(date) ? day - 2 : day + 1;
  return day;
}

function isDayOfWeek(rule: WeekdayRule, date: Date): boolean {
  const weekday = date.getUTCDay() + 1;
  const day = date.getUTCDate();
  switch (rule.kind) {
    case 'any':
      return true;
    case 'list':
      return rule.days.has(weekday);
    case 'last':
      return weekday === rule.day && day > lastDay(date) - 7;
    case 'nth':
      return weekday === rule.day && Math.ceil(day / 7) === rule.nth;
  }
}

import { validationError } from '../errors.ts';

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: months },
  { least: 0, most: 7, names: days },
];

/** A recurrence in Unix cron syntax, five fields, in UTC: Recurring schedules. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** Both day fields are restricted: either one matches, as in cron. */
  readonly eitherDay: boolean;
}

export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) throw validationError(`Given recurrence string:${text} is invalid`);
  const [minutes, hours, daysOfMonth, monthSet, weekdays] = parts.map((part, index) =>
    parseField(part, fields[index]!, text),
  );
  const daysOfWeek = new Set([...weekdays!].map((day) => day % 7));
  const eitherDay = parts[2] !== '*' && parts[4] !== '*';
  return { minutes: minutes!, hours: hours!, daysOfMonth: daysOfMonth!, months: monthSet!, daysOfWeek, eitherDay };
}

function parseField(part: string, field: Field, text: string): Set<number> {
  const values = new Set<number>();
  for (const item of part.split(',')) {
    const match = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/i.exec(item);
    if (match === null) throw validationError(`Given recurrence string:${text} is invalid`);
    const [, from, to, step] = match;
    const start = from === '*' ? field.least : numberOf(from!, field, text);
    const end =
      from === '*'
        ? field.most
        : to === undefined
          ? step === undefined
            ? start
            : field.most
          : numberOf(to, field, text);
    for (let value = start; value <= end; value += Math.max(1, Number(step ?? 1))) values.add(value);
  }
  return values;
}

function numberOf(word: string, field: Field, text: string): number {
  const named = field.names?.indexOf(word.toLowerCase()) ?? -1;
  const value = named >= 0 ? named + field.least : Number(word);
  if (!Number.isInteger(value) || value < field.least || value > field.most)
    throw validationError(`Given recurrence string:${text} is invalid`);
  return value;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Long enough for 29 February. */
const mostDaysAhead = 366 * 8;

/** The first moment after `afterMs` that matches, or undefined when there is none. */
export function nextOccurrence(cron: Cron, afterMs: number): number | undefined {
  const startMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const firstDayMs = Math.floor(startMs / dayMs) * dayMs;
  for (let day = 0; day < mostDaysAhead; day++) {
    const dayStartMs = firstDayMs + day * dayMs;
    if (!matchesDay(cron, new Date(dayStartMs))) continue;
    for (let minute = 0; minute < 1440; minute++) {
      const atMs = dayStartMs + minute * minuteMs;
      if (atMs >= startMs && cron.hours.has(Math.floor(minute / 60)) && cron.minutes.has(minute % 60)) return atMs;
    }
  }
  return undefined;
}

function matchesDay(cron: Cron, date: Date): boolean {
  if (!cron.months.has(date.getUTCMonth() + 1)) return false;
  const ofMonth = cron.daysOfMonth.has(date.getUTCDate());
  const ofWeek = cron.daysOfWeek.has(date.getUTCDay());
  return cron.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

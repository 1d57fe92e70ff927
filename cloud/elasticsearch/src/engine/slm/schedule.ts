import { type CronDialect, parseCron } from '@drover/cloud-engine';
import { parseTimeMs } from '../values/units.ts';

/** A schedule that cannot be read. */
class ScheduleError extends Error {}

/** Cron expressions as Quartz writes them ("Cron expressions"): seconds first, a year at the end if there is one. */
const quartz: CronDialect = {
  fields: ['second', 'minute', 'hour', 'day', 'month', 'weekday', 'year'],
  optionalYear: true,
  questionMark: 'optional',
  extended: true,
  refuse: () => new ScheduleError('invalid cron expression'),
};

/** When a policy runs next: a cron expression, or (since 8.16) an interval counted from when it was last changed. */
export function nextScheduled(schedule: string, afterMs: number, anchorMs: number): number | undefined {
  const everyMs = intervalOf(schedule);
  if (everyMs === undefined) return parseCron(schedule, quartz)(afterMs);
  return anchorMs + (Math.floor((afterMs - anchorMs) / everyMs) + 1) * everyMs;
}

export function intervalOf(schedule: string): number | undefined {
  const ms = /^\d+(ms|s|m|h|d)$/i.test(schedule) ? parseTimeMs(schedule) : undefined;
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/** Why a schedule is not accepted, or undefined. More often than `leastMs` is too often (`slm.minimum_interval`). */
export function refuseSchedule(schedule: string, nowMs: number, leastMs: number): string | undefined {
  try {
    const first = nextScheduled(schedule, nowMs, nowMs);
    const second = first === undefined ? undefined : nextScheduled(schedule, first, nowMs);
    if (first !== undefined && second !== undefined && second - first < leastMs)
      return `invalid schedule [${schedule}]: schedule would be too frequent, executing more than every [${leastMs / 60_000}m]`;
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError)
      return `invalid schedule [${schedule}]: must be a valid cron expression or time unit`;
    throw error;
  }
}

import { lastFiring, parseCron } from '@drover/core/cron';
import type { IdleTargetSchedule } from '@drover/core/names/runner-fleet';

/** How many idle runners to keep now: as the schedule says that fired last, or as many as ever when none has. */
export function idleTarget(usual: number, schedules: readonly IdleTargetSchedule[], now: number): number {
  const inForce = { at: Number.NEGATIVE_INFINITY, target: usual };
  for (const { cron, timeZone, idleRunnersTargetCount } of schedules) {
    const parsed = parseCron(cron);
    const at = parsed && lastFiring(parsed, timeZone, now);
    // Of two that fire in the same minute the later one of the list counts.
    if (at !== undefined && at >= inForce.at) Object.assign(inForce, { at, target: idleRunnersTargetCount });
  }
  return inForce.target;
}

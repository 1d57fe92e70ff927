import { type Clock, sleepOn } from '@drover/core';
import { leastTimeoutMs } from './timers.ts';

/** Time as a program of a bundle has it through `Date` and `setTimeout`: in whole milliseconds. */
export function programClock(clock: Clock): Clock {
  const after: Clock['after'] = (delayMs, act) => clock.after(Math.max(leastTimeoutMs, Math.trunc(delayMs)), act);
  return {
    now: () => Math.floor(clock.now()),
    after,
    sleep: (delayMs, signal) => sleepOn({ after }, delayMs, signal),
  };
}

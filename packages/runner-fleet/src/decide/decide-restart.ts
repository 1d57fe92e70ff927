/** How a listener's process ended: its exit code, or the number of the signal that ended it. */
export interface ListenerEnd {
  readonly by: 'exit' | 'signal';
  readonly status: number;
}

/** Not configured, or the platform refused the session: its words say why. */
export const refusedExit = 1;

const secondMs = 1_000;
/** A platform that refuses every runner for hours has all of them back a quarter of an hour after it is well again. */
const mostPauseMs = 10 * 60_000;
/** A listener that ran this long was well: the pauses start over. */
export const wellAfterMs = 10 * 60_000;

interface Ending {
  readonly meaning: string;
  readonly pauseMs: number;
}

const bySignal: Ending = { meaning: 'a signal', pauseMs: 5 * secondMs };

/**
 * Exit codes of actions/runner, `Constants.Runner.ReturnCode`. GitHub's own wrapper scripts turn the fatal ones into a success,
 * so the unit runs the listener itself. None of them is proof that another start is in vain: on 2026-08-06 the newest
 * version was called deprecated for hours (actions/runner, issue 4613).
 */
const endings: Readonly<Record<number, Ending>> = {
  0: { meaning: 'it was interrupted, or its registration was deleted', pauseMs: 5 * secondMs },
  [refusedExit]: {
    meaning: 'it is not configured, or the platform refused its session or its version',
    pauseMs: 30 * secondMs,
  },
  2: { meaning: 'an error that may pass', pauseMs: 5 * secondMs },
  // An update takes up to half a minute to finish after the listener has ended.
  3: { meaning: 'it updates itself', pauseMs: 35 * secondMs },
  4: { meaning: 'it updates itself', pauseMs: 35 * secondMs },
  5: { meaning: 'the platform has an older session of this runner', pauseMs: 60 * secondMs },
  7: { meaning: 'the platform calls its version deprecated', pauseMs: 60 * secondMs },
  // The runtime handles SIGTERM, and the process exits as a shell would call it.
  143: bySignal,
};
const unknown: Ending = { meaning: 'an unknown exit code', pauseMs: 10 * secondMs };

/** Decides what an end means and how long to wait before the next start: longer with each end in a row. Pure. */
export function decideRestart(end: ListenerEnd, endsInARow: number): Ending {
  const { meaning, pauseMs } = end.by === 'signal' ? bySignal : (endings[end.status] ?? unknown);
  return { meaning, pauseMs: Math.min(pauseMs * 2 ** Math.min(endsInARow - 1, 10), mostPauseMs) };
}

import type { Clock, Random } from '@drover/core';

const firstMs = 3_000;
const longestMs = 30_000;

/** Time between two readings: short at first, then up to half a minute, spread so that nodes do not poll in step. */
export function pollPauseMs(round: number, random: Random): number {
  const steadyMs = Math.min(longestMs, firstMs * 1.3 ** Math.min(round, 20));
  return Math.round(steadyMs * (0.75 + 0.5 * random.next()));
}

/** The same, but no longer than to the deadline: the decision that ends the run is taken then, not later. */
export function pauseUntil(deadlineAt: number, now: number, pauseMs: number): number {
  const leftMs = deadlineAt - now;
  return leftMs > 0 ? Math.min(pauseMs, leftMs) : pauseMs;
}

/** The part of a run by which it polls. */
export interface Polling {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
}

/** How a run waits for something; from round `most` on its pauses grow no longer. */
export const polling = ({ clock, random, signal }: Polling, most = Number.POSITIVE_INFINITY) => ({
  clock,
  pauseMs: (round: number) => pollPauseMs(Math.min(round, most), random),
  ...(signal === undefined ? {} : { signal }),
});

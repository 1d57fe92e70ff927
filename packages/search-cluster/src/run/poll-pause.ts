import type { Random } from '@drover/core';

const firstMs = 3_000;
const longestMs = 30_000;

/** Time between two readings: short at first, then up to half a minute, spread so that nodes do not poll in step. */
export function pollPauseMs(round: number, random: Random): number {
  const steadyMs = Math.min(longestMs, firstMs * 1.3 ** Math.min(round, 20));
  return Math.round(steadyMs * (0.75 + 0.5 * random.next()));
}

import type { Random } from '@drover/core';

/** From the least to the most of a seeded delay, in milliseconds. */
export type DelayRange = readonly [leastMs: number, mostMs: number];

/** One delay out of its range. */
export const drawDelay = (random: Random, [leastMs, mostMs]: DelayRange): number => random.int(leastMs, mostMs);

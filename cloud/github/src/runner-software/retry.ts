import type { Clock, Random } from '@drover/core';
import { Unreachable } from './ports.ts';

/** The clock of waits, and their signal. */
export interface Pause {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Below every request the original sends up to four times where a front says 502, 503 or 504 or a connection breaks, with these pauses; not where it
 * is refused, nor after an error 500 or its own 100 seconds (actions/runner, VssHttpRetryMessageHandler.cs).
 */
const resendMs = [11_000, 13_000, 17_000];

/** One request of the original: five attempts, 5 to 15 seconds apart (actions/runner, RunnerService.cs). */
export async function withRetries<T>(pause: Pause, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await resent(pause, ask, signal);
    } catch (error) {
      if (!(error instanceof Unreachable) || attempt === 5) throw error;
      await pause.clock.sleep(pause.random.int(5_000, 15_000), signal);
    }
}

export async function resent<T>({ clock }: Pause, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (const pauseMs of resendMs)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unreachable) || error.how !== 'unavailable') throw error;
      await clock.sleep(pauseMs, signal);
    }
  return await ask();
}

/** Replaces the failure of a request that could not be made by a value; other errors go on. */
export const insteadOf =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof Unreachable) return value;
    throw error;
  };

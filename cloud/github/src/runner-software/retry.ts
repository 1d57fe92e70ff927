import type { Clock, Random } from '@drover/core';
import { Unreachable } from './ports.ts';

/** The clock of waits, and their signal. */
export interface Pause {
  readonly clock: Clock;
  readonly random: Random;
}

/** One request of the original: five attempts, 5 to 15 seconds apart (actions/runner, RunnerService.cs). */
export async function withRetries<T>(
  { clock, random }: Pause,
  ask: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unreachable) || attempt === 5) throw error;
      await clock.sleep(random.int(5_000, 15_000), signal);
    }
}

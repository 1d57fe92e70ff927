import { describeError } from '@drover/core';
import type { Context } from '../context.ts';

/** Runs `act` and returns its result; when it fails, it warns that `what` could not be done, and returns nothing. */
export async function attempt<T>({ log }: Context, what: string, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    log.warn(`${what}: ${describeError(error)}`);
    return undefined;
  }
}

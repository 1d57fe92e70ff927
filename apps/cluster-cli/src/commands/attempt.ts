import { describeError } from '@drover/core';
import type { Context } from '../context.ts';

/** What `act` returns; when it fails, a warning that `what` could not be done is all. */
export async function attempt<T>({ log }: Context, what: string, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    log.warn(`${what}: ${describeError(error)}`);
    return undefined;
  }
}

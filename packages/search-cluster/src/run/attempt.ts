import { describeError } from '@drover/core';

/** An act in AWS or a reading that fails does not end a run, and is only reported: the next round or run does it again. */
export async function attempt<T>(
  report: { onWarning(what: string): void },
  what: string,
  act: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    report.onWarning(`${what}: ${describeError(error)}`);
    return undefined;
  }
}

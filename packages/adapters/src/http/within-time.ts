import type { Clock } from '@drover/core';

/** The result of `act`, whose signal is aborted with `reason` when it takes longer. */
export async function withinTime<T>(
  clock: Clock,
  ms: number,
  reason: Error,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const timer = clock.after(ms, () => abort.abort(reason));
  try {
    return await act(abort.signal);
  } finally {
    timer.cancel();
  }
}

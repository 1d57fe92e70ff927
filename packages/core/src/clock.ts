export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A timer that can be called off. */
export interface Timer {
  cancel(): void;
}

/** The source of time for every part of Drover. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `act` once, `delayMs` from now. */
  after(delayMs: number, act: () => void): Timer;
  /** Resolves `delayMs` from now; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** `sleep` in terms of `after`, shared by every clock. */
export function sleepOn(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Node refuses longer timeouts and would fire at once. */
const longestTimeoutMs = 2_147_483_647;

/** The machine's own clock. */
export class RealClock implements Clock {
  now(): number {
    return Date.now();
  }

  after(delayMs: number, act: () => void): Timer {
    let handle: NodeJS.Timeout;
    const arm = (leftMs: number) => {
      const stepMs = Math.min(leftMs, longestTimeoutMs);
      handle = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : act()), stepMs);
    };
    arm(Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }
}

import type { Clock } from '@drover/core';

/** A bell that processes of one machine ring when something happened that its agent should look at. */
export class Changes {
  #waiting = new Set<() => void>();

  ring(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves at the next ring, or after `mostMs`. */
  wait(clock: Clock, mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        timer.cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = clock.after(mostMs, wake);
      this.#waiting.add(wake);
    });
  }
}

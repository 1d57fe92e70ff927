import type { Clock } from '@drover/core';

/** A bell that processes of one machine ring when something happened that its agent should look at. */
export class Changes {
  #waiting = new Set<() => unknown>();

  ring(): void {
    for (const ring of this.#waiting) ring();
  }

  /** Resolves at the next ring, or after `mostMs`. */
  wait(clock: Clock, mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        timer.cancel();
        this.#waiting.delete(ring);
        resolve();
      };
      // On the process's own clock: a machine that sleeps hears the bell when it wakes.
      const ring = () => clock.after(0, wake);
      const timer = clock.after(mostMs, wake);
      this.#waiting.add(ring);
    });
  }
}

import type { Clock, Timer } from '@drover/core';
import type { Kernel } from './kernel.ts';

/** A round may wait for a listener that stops (five minutes), `config.sh` and AWS; nothing that it does takes this long. */
const longestRoundMs = 20 * 60_000;

/** The interval that `WatchdogSec=` of the unit sets for its process (sd_watchdog_enabled(3)), in milliseconds. */
export function watchdogMs(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const microseconds = Number(env.WATCHDOG_USEC);
  return microseconds > 0 ? microseconds / 1000 : undefined;
}

/**
 * Reports to systemd that the agent goes on: as long as its event loop turns, which a call that hangs in the kernel
 * stops, and as long as its rounds end. When it falls silent systemd kills and starts it again; what it knows lies in
 * files and in AWS.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #notify: () => void;
  readonly #everyMs: number;
  #roundAt: number;
  #timer: Timer | undefined;

  constructor(options: { readonly clock: Clock; readonly limitMs: number; notify(): void }) {
    this.#clock = options.clock;
    this.#notify = options.notify;
    // sd_watchdog_enabled(3) recommends half of the limit; a quarter outlives one notification that is lost.
    this.#everyMs = options.limitMs / 4;
    this.#roundAt = this.#clock.now();
    this.#tick();
  }

  /** The same kernel; each pause on it is the end of a round. */
  watching<K extends Pick<Kernel, 'pause'>>(kernel: K): K {
    return {
      ...kernel,
      pause: (mostMs, changed, lookEveryMs) => {
        this.#roundAt = this.#clock.now();
        return kernel.pause(mostMs, changed, lookEveryMs);
      },
    };
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #tick(): void {
    // A clock that was set back says nothing about the round.
    if (this.#clock.now() - this.#roundAt < longestRoundMs) this.#notify();
    this.#timer = this.#clock.after(this.#everyMs, () => this.#tick());
  }
}

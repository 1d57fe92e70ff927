import type { Clock, Timer } from '@drover/core';

interface Entry {
  readonly periodMs: number;
  readonly act: () => void;
  timer: Timer | undefined;
  /** The multiple of the period for which it ran last: a timer that fires early must not fire twice. */
  lastSlot: number;
}

/**
 * Runs things at multiples of their period on the wall clock, so that all machines act at the same moments, as cron(8)
 * does. What falls into a time when the machine is down or frozen is skipped.
 */
export class Cron {
  #clock: Clock;
  #entries = new Map<string, Entry>();
  #running = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(name: string, periodMs: number, act: () => void): void {
    if (!(periodMs > 0)) throw new RangeError(`period ${periodMs} of cron entry ${name} must be above 0`);
    this.remove(name);
    const entry: Entry = { periodMs, act, timer: undefined, lastSlot: 0 };
    this.#entries.set(name, entry);
    if (this.#running) this.#arm(entry);
  }

  remove(name: string): void {
    this.#entries.get(name)?.timer?.cancel();
    this.#entries.delete(name);
  }

  run(): void {
    if (this.#running) return;
    this.#running = true;
    for (const entry of this.#entries.values()) this.#arm(entry);
  }

  pause(): void {
    this.#running = false;
    for (const entry of this.#entries.values()) entry.timer?.cancel();
  }

  #arm(entry: Entry): void {
    const now = this.#clock.now();
    const slot = Math.max(Math.floor(now / entry.periodMs), entry.lastSlot) + 1;
    entry.timer = this.#clock.after(slot * entry.periodMs - now, () => {
      entry.lastSlot = slot;
      this.#arm(entry);
      entry.act();
    });
  }
}

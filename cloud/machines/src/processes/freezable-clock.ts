import { never } from '@drover/cloud-engine';
import type { Clock, Timer } from '@drover/core';

interface Pending {
  readonly act: () => void;
  /** On the world's clock, while not frozen. */
  at: number;
  leftMs: number;
  timer: Timer | undefined;
}

/**
 * Time as a process on a machine sees it. `now()` is the wall clock, which jumps over a hibernation; timers stand still
 * meanwhile, as the monotonic clock does that programs' timers run on (clock_gettime(2): CLOCK_MONOTONIC does not count
 * time that the system is suspended). Once stopped, no timer fires and no sleep ends.
 */
export class FreezableClock implements Clock {
  #world: Clock;
  #pending = new Set<Pending>();
  #frozen = false;
  #stopped = false;
  #onError: (error: unknown) => void;

  /** `onError` gets what a timer's act throws. */
  constructor(world: Clock, onError: (error: unknown) => void) {
    this.#world = world;
    this.#onError = onError;
  }

  now(): number {
    return this.#world.now();
  }

  after(delayMs: number, act: () => void): Timer {
    if (this.#stopped) return { cancel: () => {} };
    const leftMs = Math.max(0, delayMs);
    const pending: Pending = { act, at: this.#world.now() + leftMs, leftMs, timer: undefined };
    this.#pending.add(pending);
    if (!this.#frozen) this.#arm(pending);
    return { cancel: () => this.#drop(pending) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#stopped) return never;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        timer.cancel();
        if (!this.#stopped) reject(signal?.reason);
      };
      const timer = this.after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  freeze(): void {
    if (this.#frozen || this.#stopped) return;
    this.#frozen = true;
    const now = this.#world.now();
    for (const pending of this.#pending) {
      pending.timer?.cancel();
      pending.leftMs = Math.max(0, pending.at - now);
    }
  }

  thaw(): void {
    if (!this.#frozen || this.#stopped) return;
    this.#frozen = false;
    for (const pending of this.#pending) {
      pending.at = this.#world.now() + pending.leftMs;
      this.#arm(pending);
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const pending of this.#pending) pending.timer?.cancel();
    this.#pending.clear();
  }

  #arm(pending: Pending): void {
    pending.timer = this.#world.after(pending.leftMs, () => {
      this.#pending.delete(pending);
      try {
        pending.act();
      } catch (error) {
        this.#onError(error);
      }
    });
  }

  #drop(pending: Pending): void {
    pending.timer?.cancel();
    this.#pending.delete(pending);
  }
}

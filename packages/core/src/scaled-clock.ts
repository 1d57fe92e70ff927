import { type Clock, RealClock, sleepOn, type Timer } from './clock.ts';

interface Pending {
  readonly at: number;
  readonly act: () => void;
  timer: Timer | undefined;
}

/** A clock that runs `speed` times as fast as the real one; its speed can be changed while timers wait. */
export class ScaledClock implements Clock {
  #base: Clock;
  #speed: number;
  #originMs: number;
  #originBaseMs: number;
  #pending = new Set<Pending>();

  constructor(options: { speed: number; startAtMs?: number; base?: Clock }) {
    this.#base = options.base ?? new RealClock();
    this.#speed = positiveSpeed(options.speed);
    this.#originBaseMs = this.#base.now();
    this.#originMs = options.startAtMs ?? this.#originBaseMs;
  }

  get speed(): number {
    return this.#speed;
  }

  now(): number {
    return this.#originMs + (this.#base.now() - this.#originBaseMs) * this.#speed;
  }

  after(delayMs: number, act: () => void): Timer {
    const pending: Pending = { at: this.now() + Math.max(0, delayMs), act, timer: undefined };
    this.#pending.add(pending);
    this.#arm(pending);
    return {
      cancel: () => {
        pending.timer?.cancel();
        this.#pending.delete(pending);
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Keeps the present moment and moves what waits. */
  setSpeed(speed: number): void {
    this.#originMs = this.now();
    this.#originBaseMs = this.#base.now();
    this.#speed = positiveSpeed(speed);
    for (const pending of this.#pending) this.#arm(pending);
  }

  #arm(pending: Pending): void {
    pending.timer?.cancel();
    pending.timer = undefined;
    pending.timer = this.#base.after((pending.at - this.now()) / this.#speed, () => {
      this.#pending.delete(pending);
      pending.act();
    });
  }
}

function positiveSpeed(speed: number): number {
  if (!(speed > 0 && Number.isFinite(speed))) throw new RangeError(`clock speed ${speed} must be a number above 0`);
  return speed;
}

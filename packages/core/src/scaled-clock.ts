import { type Clock, RealClock, sleepOn, type Timer } from './clock.ts';

interface Pending {
  readonly at: number;
  readonly act: () => void;
  timer: Timer | undefined;
}

/** A clock that runs `speed` times as fast as the real one; it can be paused and its speed changed while timers wait. */
export class ScaledClock implements Clock {
  #base: Clock;
  #speed: number;
  #originMs: number;
  #originBaseMs: number;
  #paused = false;
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

  get paused(): boolean {
    return this.#paused;
  }

  now(): number {
    if (this.#paused) return this.#originMs;
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

  setSpeed(speed: number): void {
    this.#rebase(() => {
      this.#speed = positiveSpeed(speed);
    });
  }

  pause(): void {
    this.#rebase(() => {
      this.#paused = true;
    });
  }

  resume(): void {
    this.#rebase(() => {
      this.#paused = false;
    });
  }

  /** Lets `change` alter how time runs without moving the present moment, then re-arms what waits. */
  #rebase(change: () => void): void {
    this.#originMs = this.now();
    this.#originBaseMs = this.#base.now();
    change();
    for (const pending of this.#pending) this.#arm(pending);
  }

  #arm(pending: Pending): void {
    pending.timer?.cancel();
    pending.timer = undefined;
    if (this.#paused) return;
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

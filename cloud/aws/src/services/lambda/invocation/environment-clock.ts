import { type Clock, sleepOn, type Timer } from '@drover/core';

interface Waiting {
  readonly act: () => void;
  timer: Timer | undefined;
}

/**
 * Time as an execution environment sees it. Between invocations the environment is frozen: timers that fall due then
 * fire when it is thawed. (Developer Guide, "Lambda execution environment lifecycle".)
 */
export class EnvironmentClock implements Clock {
  readonly #base: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<Waiting>();
  #due: Waiting[] = [];
  #state: 'frozen' | 'running' | 'stopped' = 'frozen';
  #thawed: (() => void)[] = [];

  constructor(base: Clock, onError: (error: unknown) => void) {
    this.#base = base;
    this.#onError = onError;
  }

  now(): number {
    return this.#base.now();
  }

  after(delayMs: number, act: () => void): Timer {
    const waiting: Waiting = { act, timer: undefined };
    if (this.#state === 'stopped') return { cancel: () => {} };
    this.#waiting.add(waiting);
    waiting.timer = this.#base.after(delayMs, () => this.#fire(waiting));
    return {
      cancel: () => {
        waiting.timer?.cancel();
        this.#waiting.delete(waiting);
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Resolves at once while the environment runs, otherwise when it is thawed; never when it is stopped. */
  running(): Promise<void> {
    if (this.#state === 'running') return Promise.resolve();
    return new Promise((resolve) => {
      if (this.#state === 'frozen') this.#thawed.push(resolve);
    });
  }

  /** Whether any timer waits. */
  get waiting(): boolean {
    return this.#waiting.size > 0;
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen';
  }

  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    for (const resolve of this.#thawed.splice(0)) resolve();
    for (const waiting of this.#due.splice(0)) this.#fire(waiting);
  }

  stop(): void {
    this.#state = 'stopped';
    for (const { timer } of this.#waiting) timer?.cancel();
    this.#waiting.clear();
    this.#due = [];
    this.#thawed = [];
  }

  #fire(waiting: Waiting): void {
    if (!this.#waiting.has(waiting)) return;
    if (this.#state === 'frozen') return void this.#due.push(waiting);
    this.#waiting.delete(waiting);
    try {
      waiting.act();
    } catch (error) {
      this.#onError(error);
    }
  }
}

import { promisify } from 'node:util';
import type { Clock, Timer } from '@drover/core';
import { holdTime } from './real-work.ts';

type Callback = (...args: unknown[]) => void;

/** Node never waits less than a millisecond. */
export const leastTimeoutMs = 1;

/** The object that `setTimeout` and `setInterval` give back. */
class Timeout {
  readonly #clock: Clock;
  readonly #act: () => void;
  readonly #delayMs: number;
  readonly #repeat: boolean;
  #timer: Timer | undefined;

  constructor(clock: Clock, act: () => void, delayMs: unknown, repeat: boolean) {
    const ms = Number(delayMs);
    this.#clock = clock;
    this.#act = act;
    this.#delayMs = ms >= leastTimeoutMs && ms <= 2_147_483_647 ? Math.trunc(ms) : leastTimeoutMs;
    this.#repeat = repeat;
    this.#arm();
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#delayMs, () => {
      this.#timer = undefined;
      if (this.#repeat) this.#arm();
      this.#act();
    });
  }

  close(): this {
    this.#timer?.cancel();
    this.#timer = undefined;
    return this;
  }

  refresh(): this {
    this.close();
    this.#arm();
    return this;
  }

  ref = () => this;
  unref = () => this;
  hasRef = () => true;
  [Symbol.dispose]() {
    this.close();
  }
}

/** Timers on the environment's clock. `setImmediate` stays real, but time does not move meanwhile. */
export function virtualTimers(clock: Clock) {
  const setTimeout = (act: Callback, delayMs?: unknown, ...args: unknown[]) =>
    new Timeout(clock, () => act(...args), delayMs, false);
  const setInterval = (act: Callback, delayMs?: unknown, ...args: unknown[]) =>
    new Timeout(clock, () => act(...args), delayMs, true);
  const clear = (timeout: unknown) => {
    if (timeout instanceof Timeout) timeout.close();
  };
  const setImmediate = (act: Callback, ...args: unknown[]) => immediate(clock, act, args);
  const sleep = async <T>(delayMs?: number, value?: T, options?: { signal?: AbortSignal }): Promise<T> => {
    await clock.sleep(Math.max(leastTimeoutMs, delayMs ?? leastTimeoutMs), options?.signal);
    return value as T;
  };
  Object.defineProperty(setTimeout, promisify.custom, { value: sleep });
  const functions = {
    setTimeout,
    clearTimeout: clear,
    setInterval,
    clearInterval: clear,
    setImmediate,
    clearImmediate: (handle: unknown) => (handle as { close?: () => void } | undefined)?.close?.(),
  };
  async function* intervals<T>(delayMs?: number, value?: T): AsyncGenerator<T> {
    for (;;) yield await sleep(delayMs, value);
  }
  const promises = {
    setTimeout: sleep,
    setInterval: intervals,
    setImmediate: <T>(value?: T) => new Promise<T>((resolve) => setImmediate(() => resolve(value as T))),
    scheduler: { wait: sleep, yield: () => new Promise<void>((resolve) => setImmediate(() => resolve())) },
  };
  return { functions, promises };
}

function immediate(clock: Clock, act: Callback, args: unknown[]) {
  let closed = false;
  const turn = new Promise<void>((resolve) => {
    setImmediate(() => {
      if (!closed) act(...args);
      resolve();
    });
  });
  void holdTime(clock, turn);
  const close = () => {
    closed = true;
  };
  const handle = { close, ref: () => handle, unref: () => handle, hasRef: () => true };
  return handle;
}

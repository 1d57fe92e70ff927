import { type Clock, sleepOn, type Timer } from './clock.ts';

interface Pending {
  at: number;
  order: number;
  act: (() => void) | undefined;
}

/**
 * A clock that stands still until it is advanced. Timers fire in the order of their time, then of their creation;
 * between two timers everything that was promised settles, so one seed gives one order of events.
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #heap: Pending[] = [];
  #held = 0;

  constructor(startAtMs = Date.UTC(2026, 0, 5)) {
    this.#now = startAtMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, act: () => void): Timer {
    const pending: Pending = { at: this.#now + Math.max(0, delayMs), order: this.#order++, act };
    push(this.#heap, pending);
    return {
      cancel: () => {
        pending.act = undefined;
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Keeps time from moving while work runs that no timer knows of: a child process, a file, a socket. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.#held += 1;
    try {
      return await work;
    } finally {
      this.#held -= 1;
    }
  }

  /** Moves time forward, firing every timer on the way. */
  async advance(byMs: number): Promise<void> {
    await this.advanceTo(this.#now + byMs);
  }

  async advanceTo(targetMs: number): Promise<void> {
    await this.#run(targetMs, () => false);
    this.#now = Math.max(this.#now, targetMs);
  }

  /**
   * Moves the date and every timer with it, so that nothing happens: for stories of months, in which the days between
   * two acts are like each other.
   */
  skip(byMs: number): void {
    this.#now += byMs;
    for (const pending of this.#heap) pending.at += byMs;
  }

  /** Moves time until `reached` holds; returns whether it did within `limitMs`. */
  async runUntil(reached: () => boolean, limitMs: number): Promise<boolean> {
    const targetMs = this.#now + limitMs;
    if (await this.#run(targetMs, reached)) return true;
    this.#now = Math.max(this.#now, targetMs);
    return reached();
  }

  /** Lets everything that is already promised settle, without moving time. */
  async settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#held > 0);
  }

  async #run(targetMs: number, reached: () => boolean): Promise<boolean> {
    await this.settle();
    while (!reached()) {
      const next = this.#heap[0];
      if (next === undefined || next.at > targetMs) return false;
      pop(this.#heap);
      if (next.act === undefined) continue;
      this.#now = Math.max(this.#now, next.at);
      next.act();
      await this.settle();
    }
    return true;
  }
}

const before = (a: Pending, b: Pending) => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Pending[], item: Pending): void {
  let child = heap.push(item) - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!before(item, heap[parent]!)) break;
    heap[child] = heap[parent]!;
    child = parent;
  }
  heap[child] = item;
}

function pop(heap: Pending[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let parent = 0;
  for (;;) {
    let child = 2 * parent + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
    if (!before(heap[child]!, last)) break;
    heap[parent] = heap[child]!;
    parent = child;
  }
  heap[parent] = last;
}

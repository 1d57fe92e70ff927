import type { World } from '@drover/cloud-world';
import type { Random } from '@drover/core';

const minute = 60_000;

/** Jobs that come by chance, a given number an hour, of a few minutes each. */
export class Workload {
  readonly #world: World;
  readonly #enqueue: (durationMs: number) => void;
  readonly #random: Random;
  readonly #perHour: number;

  constructor(world: World, enqueue: (durationMs: number) => void, perHour: number) {
    this.#world = world;
    this.#enqueue = enqueue;
    this.#random = world.engine.random.fork('jobs');
    this.#perHour = perHour;
  }

  start(): void {
    if (this.#perHour > 0) this.#next();
  }

  /** Times between arrivals are exponential, as with many people who do not know of each other. */
  #next(): void {
    const waitMs = (-Math.log(1 - this.#random.next()) * 60 * minute) / this.#perHour;
    this.#world.engine.clock.after(waitMs, () => {
      this.#enqueue(this.#random.int(2, 12) * minute);
      this.#next();
    });
  }
}

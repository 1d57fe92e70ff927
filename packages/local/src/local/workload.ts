import type { World } from '@drover/cloud-world';
import type { Random } from '@drover/core';
import { defaultType } from '@drover/core/names/runner-fleet';

const minute = 60_000;

/** Jobs that come by chance, a given number an hour, of a few minutes each. */
export class Workload {
  readonly #world: World;
  readonly #enqueue: (durationMs: number, type: string) => void;
  readonly #random: Random;
  readonly #types: Random;
  readonly #perHour: number;
  readonly #further: readonly string[];

  constructor(
    world: World,
    enqueue: (durationMs: number, type: string) => void,
    perHour: number,
    further: readonly string[],
  ) {
    this.#world = world;
    this.#enqueue = enqueue;
    this.#random = world.engine.random.fork('jobs');
    this.#types = world.engine.random.fork('types of jobs');
    this.#perHour = perHour;
    this.#further = further;
  }

  start(): void {
    if (this.#perHour > 0) this.#next();
  }

  /** Times between arrivals are exponential, as with many people who do not know of each other. */
  #next(): void {
    const waitMs = (-Math.log(1 - this.#random.next()) * 60 * minute) / this.#perHour;
    this.#world.engine.clock.after(waitMs, () => {
      this.#enqueue(this.#random.int(2, 12) * minute, this.#type());
      this.#next();
    });
  }

  /** Half of the jobs ask for the default type, the others for any further one. */
  #type(): string {
    const isDefault = this.#further.length === 0 || this.#types.chance(0.5);
    return isDefault ? defaultType : this.#types.pick(this.#further);
  }
}

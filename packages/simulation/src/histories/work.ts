import type { Job } from '@drover/cloud-github';
import type { Random } from '@drover/core';
import type { ScalingMode } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';

const minute = 60_000;
const meanPauseMs = 25 * minute;

/** Jobs of a minute to six hours, most of them short, in no order; now and then several at once. */
export class Work {
  readonly #fleet: DeployedFleet;
  readonly #random: Random;
  readonly #mode: () => ScalingMode;
  #paused = false;
  #stopped = false;

  constructor(fleet: DeployedFleet, random: Random, mode: () => ScalingMode) {
    this.#fleet = fleet;
    this.#random = random;
    this.#mode = mode;
  }

  start(): void {
    this.#fleet.clock.after(-Math.log(1 - this.#random.next()) * meanPauseMs, () => {
      if (this.#stopped) return;
      const count = this.#random.chance(0.15) ? this.#random.int(2, 5) : 1;
      if (!this.#paused) for (let made = 0; made < count; made++) this.enqueue(this.#duration());
      this.start();
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  /** No job is queued until `resume`. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  /** In jobs mode a job asks for the scale set, which has the group's name. */
  enqueue(durationMs: number): Job {
    const runsOn = this.#mode() === 'jobs' ? { runsOn: [this.#fleet.groupName] } : {};
    return this.#fleet.codeHost.registry.queue.enqueue({ durationMs, ...runsOn });
  }

  get waiting(): number {
    return this.#fleet.codeHost.registry.queue.waiting.length;
  }

  get open(): number {
    return this.#fleet.codeHost.registry.queue.jobs.filter(({ endedAt }) => endedAt === undefined).length;
  }

  #duration(): number {
    if (this.#random.chance(0.05)) return this.#random.int(120, 360) * minute;
    return (this.#random.chance(0.15) ? this.#random.int(20, 120) : this.#random.int(1, 15)) * minute;
  }
}

import type { Job } from '@drover/cloud-github';
import type { Random } from '@drover/core';
import { typeGroupName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';
import { startRun } from '../stories/one-run.ts';
import type { DrawnFleet } from './draw-inputs.ts';

const minute = 60_000;
const meanPauseMs = 25 * minute;

/** Jobs of a minute to six hours, most of them short, in no order; now and then several at once. */
export class Work {
  readonly #fleet: DeployedFleet;
  readonly #random: Random;
  /** Which of the types a job is for. */
  readonly #kinds: Random;
  readonly #inputs: () => DrawnFleet;
  /** Types for which no one asks any more: they are about to be removed. */
  readonly #leaving = new Set<string>();
  #paused = false;
  #stopped = false;

  constructor(fleet: DeployedFleet, random: Random, inputs: () => DrawnFleet) {
    this.#fleet = fleet;
    this.#random = random;
    this.#kinds = random.fork('kinds');
    this.#inputs = inputs;
  }

  start(): void {
    this.#fleet.clock.after(-Math.log(1 - this.#random.next()) * meanPauseMs, () => {
      if (this.#stopped) return;
      const count = this.#random.chance(0.15) ? this.#random.int(2, 5) : 1;
      if (!this.#paused) this.#begin(Array.from({ length: count }, () => this.#duration()));
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

  /** In jobs mode a job asks for the scale set, which has the name of a group, and belongs to a run, which can be run again. */
  enqueue(durationMs: number): Job {
    return this.#enqueue([durationMs], this.#fleet.groupName)[0]!;
  }

  /** No one asks for the type from now on; returns how that ends. */
  leave(type: string): () => void {
    this.#leaving.add(type);
    return () => void this.#leaving.delete(type);
  }

  /** Jobs of one type, which is the default one in idle mode. */
  #begin(durations: readonly number[]): void {
    const { types = {} } = this.#inputs();
    const open = Object.keys(types).filter((name) => !this.#leaving.has(name));
    const type = this.#kinds.pick([undefined, ...open]);
    this.#enqueue(durations, type === undefined ? this.#fleet.groupName : typeGroupName(this.#fleet.groupName, type));
  }

  #enqueue(durations: readonly number[], groupName: string): readonly Job[] {
    const { codeHost } = this.#fleet;
    if (this.#inputs().scalingMode === 'idle')
      return durations.map((durationMs) => codeHost.registry.queue.enqueue({ durationMs }));
    const jobs = durations.map((durationMs, index) => [`job-${index}`, durationMs / minute] as const);
    return startRun(codeHost, Object.fromEntries(jobs), groupName).jobs.map(({ job }) => job);
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

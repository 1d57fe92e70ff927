import type { Job, LossCause } from '../model.ts';

/** How many jobs there were, also of those that are not kept any more. */
export interface JobCounts {
  readonly queued: number;
  readonly dispatched: number;
  readonly completed: number;
  readonly lost: number;
  readonly lostBecause: Readonly<Partial<Record<LossCause, number>>>;
}

/** Every open job, the newest ended ones, and the counts of all. */
export class JobLedger {
  readonly #limit: number;
  #open = new Map<number, Job>();
  #completed: Job[] = [];
  #lost: Job[] = [];
  #queued = 0;
  #dispatched = 0;
  #completedCount = 0;
  #lostBecause: Partial<Record<LossCause, number>> = {};

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Open and kept jobs, oldest first. */
  get jobs(): readonly Job[] {
    return [...this.#completed, ...this.#lost, ...this.#open.values()].sort((a, b) => a.id - b.id);
  }

  /** The newest lost jobs. */
  get lost(): readonly Job[] {
    return this.#lost;
  }

  get counts(): JobCounts {
    const lost = Object.values(this.#lostBecause).reduce((sum, count) => sum + count, 0);
    return {
      queued: this.#queued,
      dispatched: this.#dispatched,
      completed: this.#completedCount,
      lost,
      lostBecause: { ...this.#lostBecause },
    };
  }

  open(job: Job): void {
    this.#open.set(job.id, job);
    this.#queued += 1;
  }

  dispatched(): void {
    this.#dispatched += 1;
  }

  /** Files an ended job; the oldest of its kind are let go beyond the limit. */
  close(job: Job): void {
    this.#open.delete(job.id);
    if (job.state === 'completed') this.#completedCount += 1;
    else this.#lostBecause[job.lostBecause!] = (this.#lostBecause[job.lostBecause!] ?? 0) + 1;
    const kept = job.state === 'completed' ? this.#completed : this.#lost;
    kept.push(job);
    if (kept.length > this.#limit * 1.25) kept.splice(0, kept.length - this.#limit);
  }
}

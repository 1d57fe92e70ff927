import type { Job, RunnerRecord } from '../model.ts';
import { routeOf } from '../runners/free-runners.ts';

/** Jobs that ask for the same labels, oldest first. */
export interface JobClass {
  /** Lower case, sorted; of jobs of a scale set the name of that set alone. */
  readonly labels: readonly string[];
  readonly jobs: Job[];
}

/** Jobs that no runner has taken yet, by what they ask for: there are few kinds, however many jobs wait. */
export class WaitingJobs {
  #classes = new Map<string, JobClass>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Oldest first. */
  all(): readonly Job[] {
    return [...this.#classes.values()].flatMap(({ jobs }) => jobs).sort((a, b) => a.id - b.id);
  }

  add(job: Job): JobClass {
    const labels = [...new Set(routeOf(job))].sort();
    const key = labels.join('\n');
    let found = this.#classes.get(key);
    if (found === undefined) {
      found = { labels, jobs: [] };
      this.#classes.set(key, found);
    }
    // A job that was given out and not picked up comes back to its place.
    const before = found.jobs.findIndex(({ id }) => id > job.id);
    if (before === -1) found.jobs.push(job);
    else found.jobs.splice(before, 0, job);
    this.#size += 1;
    return found;
  }

  /** The kinds of jobs that wait, that with the oldest job first. */
  classes(): readonly JobClass[] {
    return [...this.#classes.values()].sort((a, b) => a.jobs[0]!.id - b.jobs[0]!.id);
  }

  /** The kind of the oldest job that this runner could take. */
  oldestFor(runner: RunnerRecord): JobClass | undefined {
    if (this.#size === 0) return undefined;
    const own = new Set(routeOf(runner));
    return this.classes().find(({ labels }) => labels.every((label) => own.has(label)));
  }

  /** Takes the oldest job of a kind out. */
  takeFrom(kind: JobClass): Job {
    const job = kind.jobs.shift()!;
    this.#size -= 1;
    if (kind.jobs.length === 0) this.#classes.delete(kind.labels.join('\n'));
    return job;
  }

  /** Jobs that belong to no scale set and ask for nothing but these labels (lower case), oldest first. */
  within(labels: ReadonlySet<string>): readonly Job[] {
    const fitting = [...this.#classes.values()].filter((kind) => kind.labels.every((label) => labels.has(label)));
    return fitting.length === 1 ? fitting[0]!.jobs : fitting.flatMap(({ jobs }) => jobs).sort((a, b) => a.id - b.id);
  }

  take(job: Job): void {
    const kind = this.#classes.get([...new Set(routeOf(job))].sort().join('\n'));
    const at = kind?.jobs.indexOf(job) ?? -1;
    if (kind === undefined || at === -1) return;
    kind.jobs.splice(at, 1);
    this.#size -= 1;
    if (kind.jobs.length === 0) this.#classes.delete(kind.labels.join('\n'));
  }

  /** Takes out and returns all that were queued before a moment. */
  takeQueuedBefore(at: number): readonly Job[] {
    const taken: Job[] = [];
    for (const kind of this.classes()) while ((kind.jobs[0]?.queuedAt ?? at) < at) taken.push(this.takeFrom(kind));
    return taken;
  }
}

import type { Engine } from '@drover/cloud-engine';
import type { JobQueue, JobWatcher } from '../jobs/job-queue.ts';
import type { Job, RunnerRecord } from '../model.ts';
import { labelKey } from '../runners/free-runners.ts';
import { jobEvent, reaches } from './job-events.ts';
import type { ScaleSet } from './scale-set.ts';

/**
 * A job that no runner picks up is taken back after this and assigned again, three times in all (actions/actions-runner-controller issue
 * 4602; actions/scaleset, README: "up to 3 times with incremental delays"). How long the delays are is not known.
 */
const pickUpMs = 5 * 60_000;
const delaysMs = [5_000, 15_000];

interface Attempts {
  count: number;
  assignedAt: number;
  /** Not assigned again before this; infinite: not until a runner of the set appears. */
  notBefore: number;
}

interface Parts {
  readonly org: string;
  /** Enterprise Server's way: a job is offered, and assigned when the client acquires it. */
  readonly acquires: boolean;
  all(): Iterable<ScaleSet>;
  find(id: number | undefined): ScaleSet | undefined;
  hasSession(set: ScaleSet): boolean;
}

/** The jobs of each scale set, and the messages to its client about them. */
export class Assignments implements JobWatcher {
  readonly #engine: Engine;
  readonly #queue: JobQueue;
  readonly #parts: Parts;
  readonly #attempts = new Map<Job, Attempts>();
  /** Jobs that run, and that the service has called completed. */
  readonly #completedEarly = new WeakSet<Job>();

  constructor(engine: Engine, queue: JobQueue, parts: Parts) {
    this.#engine = engine;
    this.#queue = queue;
    this.#parts = parts;
    queue.watch(this);
  }

  /** Gives the set waiting jobs, oldest first, up to its capacity. Without a session it gets none. */
  fill(set: ScaleSet): void {
    if (this.#room(set) <= 0 || !this.#parts.hasSession(set)) return;
    for (const job of [...this.available(set)]) {
      if (this.#room(set) <= 0) return;
      if ((this.#attempts.get(job)?.notBefore ?? 0) > this.#now) continue;
      if (this.#parts.acquires) this.#announce(set, job);
      else this.#assign(set, job);
    }
  }

  /** Waiting jobs that the set could have and that no set has. */
  available(set: ScaleSet): readonly Job[] {
    return this.#matching(set).filter((job) => !set.excluded.has(job));
  }

  #matching(set: ScaleSet): readonly Job[] {
    const { name, labels } = set.settings;
    const own = new Set([name, ...labels.map((label) => label.name)].map(labelKey));
    return this.#queue.waitingWithin(own).filter((job) => reaches(set, job, this.#parts.org));
  }

  /** The client acquires offered jobs; returns those that it gets. */
  acquire(set: ScaleSet, ids: readonly number[]): number[] {
    const offered = this.available(set).filter(({ id }) => ids.includes(id));
    const got = offered.slice(0, Math.max(0, (set.maxCapacity ?? 0) - set.assigned.size));
    for (const job of got) this.#assign(set, job);
    return got.map(({ id }) => id);
  }

  /** A runner of the set is there: jobs that were given up may go to it. */
  appeared({ scaleSetId }: RunnerRecord): void {
    const set = this.#parts.find(scaleSetId);
    if (set === undefined) return;
    for (const job of this.available(set)) this.#attempts.delete(job);
    this.fill(set);
  }

  /** The set is gone: waiting jobs are free for other runners again. */
  release(set: ScaleSet): void {
    for (const job of set.assigned) {
      this.#attempts.delete(job);
      if (job.state === 'queued') this.#queue.route(job, undefined);
    }
    set.assigned.clear();
    for (const other of this.#parts.all()) this.fill(other);
  }

  /** Whether the service knows of a job that this runner has. */
  knowsJobOf({ job }: RunnerRecord): boolean {
    return job !== undefined && !this.#completedEarly.has(job);
  }

  // ---- Events from the queue
  // -----------------------------------------------------------------------------------------

  waits(job: Job): void {
    const set = this.#parts.find(job.scaleSetId);
    if (set !== undefined) this.#expire(set, job);
    else
      for (const other of this.#parts.all()) {
        this.#exclude(other, job);
        this.fill(other);
      }
  }

  /**
   * Seen by others: a job that is queued while its set announces a capacity of 0 stays queued when the capacity has risen, also over new
   * sessions, until it is cancelled (rhobuild/runpool, docs/adrs, advertised-capacity and capacity-floor of 2026-08-11).
   */
  #exclude(set: ScaleSet, job: Job): void {
    if (set.maxCapacity !== 0 || !this.#parts.hasSession(set)) return;
    if (this.#matching(set).includes(job)) set.excluded.add(job);
  }

  runs(job: Job): void {
    const set = this.#parts.find(job.scaleSetId);
    if (set === undefined) return;
    this.#tell(set, 'JobStarted', job);
    const point = { service: 'platform', operation: 'JobStarted' };
    if (this.#engine.faults.strike(point, ['misbehave'])?.how === 'completed-early') this.#completeEarly(set, job);
  }

  ended(job: Job): void {
    const set = this.#parts.find(job.scaleSetId);
    for (const other of this.#parts.all()) other.announced.delete(job);
    const isOwn = set?.assigned.delete(job) === true;
    if (isOwn) this.#tell(set, 'JobCompleted', job, { result: resultOf(job) });
    this.#attempts.delete(job);
    if (isOwn) this.fill(set);
  }

  // --------------------------------------------------------------------------------------------------------------------

  get #now(): number {
    return this.#engine.clock.now();
  }

  #room(set: ScaleSet): number {
    return (set.maxCapacity ?? 0) - set.assigned.size - set.announced.size;
  }

  /** A job that was offered and not acquired in time is offered again. */
  #announce(set: ScaleSet, job: Job): void {
    if (set.announced.has(job)) return;
    set.announced.set(job, this.#now);
    this.#tell(set, 'JobAvailable', job, { acquireJobUrl: '' });
    this.#engine.clock.after(pickUpMs, () => {
      if (set.announced.delete(job)) this.fill(set);
    });
  }

  #assign(set: ScaleSet, job: Job): void {
    const attempts = { count: (this.#attempts.get(job)?.count ?? 0) + 1, assignedAt: this.#now, notBefore: 0 };
    this.#attempts.set(job, attempts);
    for (const other of this.#parts.all()) other.announced.delete(job);
    set.assigned.add(job);
    this.#note(job, 'assigned', set);
    this.#tell(set, 'JobAssigned', job);
    this.#engine.clock.after(pickUpMs, () => {
      if (this.#attempts.get(job) === attempts) this.#expire(set, job);
    });
    this.#queue.route(job, set.id);
  }

  /** Takes the job back if no runner has had it in time. */
  #expire(set: ScaleSet, job: Job): void {
    const attempts = this.#attempts.get(job);
    if (attempts === undefined || job.state !== 'queued' || this.#now - attempts.assignedAt < pickUpMs) return;
    if (!set.assigned.delete(job)) return;
    const delayMs = delaysMs[attempts.count - 1] ?? Number.POSITIVE_INFINITY;
    attempts.notBefore = this.#now + delayMs;
    this.#note(job, 'taken back', set);
    this.#tell(set, 'JobCompleted', job, { result: 'canceled' });
    this.#queue.route(job, undefined);
    if (Number.isFinite(delayMs)) this.#engine.clock.after(delayMs, () => this.fill(set));
    this.fill(set);
  }

  /** actions/runner issue 4492: the job runs, and its runner can be removed from under it. */
  #completeEarly(set: ScaleSet, job: Job): void {
    this.#engine.clock.after(job.durationMs / 2, () => {
      if (job.state !== 'running' || !set.assigned.delete(job)) return;
      this.#completedEarly.add(job);
      this.#tell(set, 'JobCompleted', job, { result: 'succeeded' });
    });
  }

  #tell(set: ScaleSet, type: Parameters<typeof jobEvent>[0], job: Job, more: object = {}): void {
    const { org, acquires } = this.#parts;
    const assignedAt = this.#attempts.get(job)?.assignedAt;
    set.messages.put(jobEvent(type, job, { org, acquires, assignedAt }, more));
  }

  #note(job: Job, name: string, { id }: ScaleSet): void {
    const detail = { scaleSet: id };
    this.#engine.journal.record({ kind: 'transition', source: 'platform.job', name, subject: `job-${job.id}`, detail });
  }
}

function resultOf(job: Job): string {
  if (job.state === 'completed') return job.result ?? 'succeeded';
  return job.lostBecause === 'queued-too-long' ? 'canceled' : 'failed';
}

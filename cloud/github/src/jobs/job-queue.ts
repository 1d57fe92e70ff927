import type { Engine } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import type { Job, JobLoss, LossCause, RunnerRecord } from '../model.ts';
import { type InnerOperation, isAway, type Outage, type ServiceAnswer } from '../outage.ts';
import type { BusyFlag } from '../runners/busy-flag.ts';
import { FreeRunners } from '../runners/free-runners.ts';
import { type JobCounts, JobLedger } from './job-ledger.ts';
import { WaitingJobs } from './waiting-jobs.ts';

export interface JobOptions {
  readonly durationMs: number;
  /** Labels that a runner must have, beside `self-hosted`. */
  readonly labels?: readonly string[];
  /**
   * `runs-on` as it stands in the workflow, instead of `labels`: names or labels of a scale set need no `self-hosted`.
   */
  readonly runsOn?: readonly string[];
  /** Script that a runner on a real machine executes with bash. */
  readonly script?: string;
  /** An action instead of the script. None exists here, so that the job fails before its started hook. */
  readonly uses?: string;
  readonly repository?: string;
  readonly run?: Job['run'];
}

/** How a job ended: by its own steps, or lost. */
export type JobEnd =
  | { readonly result: 'succeeded' | 'failed'; readonly output?: string }
  | { readonly lost: LossCause };

/** A runner's requests about the job that it was given. `gone`: it is not this runner's (any more). */
export interface JobRun {
  readonly job: Job;
  acknowledge(): ServiceAnswer;
  /** The runner takes the job: no other can get it, and its lease begins. */
  acquire(): ServiceAnswer;
  renew(): ServiceAnswer;
  /** The Worker exists and works. */
  started(): void;
  complete(end?: JobEnd): ServiceAnswer;
}

/** Notified of jobs on their way. */
export interface JobWatcher {
  /** It waits, for the first time or again; a runner may have it already. */
  waits(job: Job): void;
  runs(job: Job): void;
  ended(job: Job): void;
}

export interface JobQueueOptions {
  /** How many completed and how many lost jobs are kept; all are counted. @default 10000 */
  readonly keptJobs?: number;
}

/** A message to a listener takes up to this long. */
const deliveryMs = { least: 200, most: 3_000 };

/** A job's lease is renewed every minute and holds for ten (actions/runner, log of JobDispatcher in issues 3448 and 3539). */
export const leaseMs = 10 * 60_000;

/**
 * docs.github.com, "Using self-hosted runners in a workflow": a job that its runner does not pick up within 60 seconds is
 * queued again, so that another can accept it.
 */
const pickUpMs = 60_000;
/** docs.github.com, "Actions limits": a job for a self-hosted runner is queued for at most 24 hours. */
const longestQueuedMs = 24 * 3_600_000;

/** Queued jobs and their way to a runner. */
export class JobQueue {
  readonly #engine: Engine;
  readonly #random: Random;
  readonly #busyFlag: BusyFlag;
  readonly #outage: Outage;
  readonly #ledger: JobLedger;
  readonly #waiting = new WaitingJobs();
  readonly #free = new FreeRunners();
  /** The last runner of each job; it may have been removed since. */
  readonly #runners = new WeakMap<Job, RunnerRecord>();
  /** Until when a job that was acquired is its runner's. */
  readonly #leases = new WeakMap<Job, number>();
  readonly #listeners = new Set<(job: Job) => void>();
  /** Scale sets follow their jobs. */
  #watcher: JobWatcher | undefined;
  readonly #changed: (runner: RunnerRecord) => void;
  readonly #consumed: (runner: RunnerRecord) => void;
  #nextId = 1;

  constructor(
    engine: Engine,
    parts: {
      readonly busyFlag: BusyFlag;
      readonly outage: Outage;
      changed(runner: RunnerRecord): void;
      /** An ephemeral runner has had its job. */
      consumed(runner: RunnerRecord): void;
    },
    options: JobQueueOptions = {},
  ) {
    this.#engine = engine;
    this.#random = engine.random.fork('platform.jobs');
    this.#busyFlag = parts.busyFlag;
    this.#outage = parts.outage;
    this.#changed = parts.changed;
    this.#consumed = parts.consumed;
    this.#ledger = new JobLedger(options.keptJobs ?? 10_000);
  }

  /** Open jobs and the newest ended ones, oldest first. */
  get jobs(): readonly Job[] {
    return this.#ledger.jobs;
  }

  /** Jobs that no runner has taken yet, oldest first. */
  get waiting(): readonly Job[] {
    return this.#waiting.all();
  }

  /** Of all jobs there ever were. */
  get counts(): JobCounts {
    return this.#ledger.counts;
  }

  /** The newest lost jobs, with what is known of each. */
  get losses(): readonly JobLoss[] {
    return this.#ledger.lost.map((job) => this.lossOf(job)!);
  }

  /** Calls `listener` with each job that ends; returns how to unsubscribe. */
  onEnded(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  watch(watcher: JobWatcher): void {
    this.#watcher = watcher;
  }

  /** Waiting jobs of no scale set that ask for nothing but these labels (lower case), oldest first. */
  waitingWithin(labels: ReadonlySet<string>): readonly Job[] {
    return this.#waiting.within(labels);
  }

  /** A waiting job goes to the runners of a scale set, or back to those of its labels. */
  route(job: Job, scaleSetId: number | undefined): void {
    const waits = job.state === 'queued';
    if (waits) this.#waiting.take(job);
    if (scaleSetId === undefined) delete job.scaleSetId;
    else job.scaleSetId = scaleSetId;
    if (!waits) return;
    this.#waiting.add(job);
    this.dispatch();
  }

  enqueue(options: JobOptions): Job {
    const labels = options.runsOn ?? ['self-hosted', ...(options.labels ?? [])];
    const job: Job = {
      id: this.#nextId++,
      labels: [...new Set(labels)],
      durationMs: options.durationMs,
      ...(options.script === undefined ? {} : { script: options.script }),
      ...(options.uses === undefined ? {} : { uses: options.uses }),
      ...(options.repository === undefined ? {} : { repository: options.repository }),
      ...(options.run === undefined ? {} : { run: options.run }),
      queuedAt: this.#engine.clock.now(),
      state: 'queued',
    };
    this.#ledger.open(job);
    this.#note(job, 'queued');
    // Jobs of the same kind wait already: then no free runner fits.
    if (this.#waiting.add(job).jobs.length === 1) this.dispatch();
    this.#watcher?.waits(job);
    return job;
  }

  /** A user cancels a job that waits. False: a runner has it, or it has ended. */
  cancel(job: Job): boolean {
    if (job.state !== 'queued') return false;
    this.#waiting.take(job);
    job.result = 'canceled';
    this.#end(job, 'completed');
    return true;
  }

  /** The runner is connected and has no job. */
  offer(runner: RunnerRecord): void {
    this.#free.add(runner);
    const kind = this.#waiting.oldestFor(runner);
    if (kind === undefined || this.#heldBack()) return;
    this.#assign(this.#waiting.takeFrom(kind), runner);
  }

  /** The runner takes no jobs any more. */
  withdraw(runner: RunnerRecord): void {
    this.#free.delete(runner);
  }

  /** The runner's labels have changed: other jobs fit. */
  relabelled(runner: RunnerRecord): void {
    if (!this.#free.has(runner)) return;
    this.#free.delete(runner);
    this.offer(runner);
  }

  /** Gives waiting jobs to free runners, oldest first. */
  dispatch(): void {
    if (this.#waiting.size === 0 || this.#free.size === 0 || this.#heldBack()) return;
    for (let assigned = true; assigned; ) assigned = this.#assignOldest();
  }

  /** The requests about a job by the runner that was given it. A job that has ended keeps its end. */
  run(job: Job): JobRun {
    const runner = this.#runners.get(job);
    const ask = (operation: InnerOperation, act: () => void) => this.#ask(job, runner, operation, act);
    return {
      job,
      acknowledge: () => ask('acknowledge', () => {}),
      acquire: () => this.#acquire(job, runner),
      renew: () => ask('renewjob', () => this.#leases.set(job, this.#engine.clock.now() + leaseMs)),
      started: () => this.#start(job, runner),
      complete: (end = { result: 'succeeded' }) => ask('completejob', () => this.#finish(job, end)),
    };
  }

  /** The runner of a job is gone. */
  loseJobOf(runner: RunnerRecord, because: LossCause): void {
    if (runner.job !== undefined) this.#end(runner.job, 'lost', because);
  }

  /** The runner's listener has stopped: what it had not acquired another may have. Of what it had the lease decides. */
  listenerStopped(runner: RunnerRecord): void {
    if (runner.job !== undefined && runner.job.acquiredAt === undefined) this.#notPickedUp(runner);
  }

  /** The known facts about a lost job at this moment; a removal that follows the loss is added when it happens. */
  lossOf(job: Job): JobLoss | undefined {
    if (job.state !== 'lost') return undefined;
    const runner = this.#runners.get(job);
    const { id, name, listenerStop, removal } = runner ?? {};
    return {
      job: { ...job },
      cause: job.lostBecause!,
      lostAt: job.endedAt!,
      workerExisted: job.startedAt !== undefined,
      unanswered: job.unanswered ?? 0,
      runner: runner === undefined ? undefined : { id: id!, name: name!, listenerStop, removal },
    };
  }

  /** GitHub gives up jobs that no runner took. */
  dropOverdue(): void {
    for (const job of this.#waiting.takeQueuedBefore(this.#engine.clock.now() - longestQueuedMs))
      this.#end(job, 'lost', 'queued-too-long');
  }

  /** While GitHub is down nothing is dispatched; it looks again by itself. */
  #heldBack(): boolean {
    if (!this.#outage.strikes('dispatch')) return false;
    this.#outage.retryOnce('dispatch', () => this.dispatch());
    return true;
  }

  #assignOldest(): boolean {
    for (const kind of this.#waiting.classes()) {
      const runner = this.#free.find(kind.labels);
      if (runner === undefined) continue;
      this.#assign(this.#waiting.takeFrom(kind), runner);
      return true;
    }
    return false;
  }

  #assign(job: Job, runner: RunnerRecord): void {
    const now = this.#engine.clock.now();
    Object.assign(job, { state: 'dispatched', runnerId: runner.id, runnerName: runner.name, dispatchedAt: now });
    this.#free.delete(runner);
    this.#runners.set(job, runner);
    this.#ledger.dispatched();
    runner.job = job;
    runner.busyReports = this.#busyFlag.afterDispatch(runner.busyReports, now, job.durationMs);
    this.#changed(runner);
    this.#note(job, 'dispatched');
    this.#send(job, runner);
  }

  #waitForPickUp(job: Job, runner: RunnerRecord): void {
    const leftMs = job.dispatchedAt! + pickUpMs - this.#engine.clock.now();
    this.#engine.clock.after(leftMs, () => {
      if (runner.job === job && job.acquiredAt === undefined) this.#notPickedUp(runner);
    });
  }

  #notPickedUp(runner: RunnerRecord): void {
    const { job } = runner;
    if (job === undefined) return;
    this.#release(runner);
    const leftMs = Math.max(0, job.dispatchedAt! + pickUpMs - this.#engine.clock.now());
    this.#engine.clock.after(leftMs, () => {
      if (isEnded(job)) return;
      const nobody = { runnerId: undefined, runnerName: undefined, dispatchedAt: undefined };
      Object.assign(job, { state: 'queued', unanswered: 0, ...nobody });
      this.#runners.delete(job);
      this.#waiting.add(job);
      this.#note(job, 'queued again');
      this.dispatch();
      this.#watcher?.waits(job);
    });
  }

  /** A listener that does not acquire the job within a minute does not get it. */
  #send(job: Job, runner: RunnerRecord): void {
    const { session } = runner;
    const delayMs = this.#random.int(deliveryMs.least, deliveryMs.most) + this.#outage.slowsByMs('dispatch');
    this.#engine.clock.after(delayMs, () => {
      if (runner.job !== job) return;
      if (session === undefined || runner.session !== session) return this.#notPickedUp(runner);
      this.#waitForPickUp(job, runner);
      // No runner takes it; GitHub will notice.
      if (runner.listenerStop === undefined && session.reachable?.() !== false) session.deliver(job);
    });
  }

  /** One request of a job's runner. */
  #ask(job: Job, runner: RunnerRecord | undefined, operation: InnerOperation, act: () => void): ServiceAnswer {
    const answer = this.#outage.answer(operation);
    if (isAway(answer) && !isEnded(job)) job.unanswered = (job.unanswered ?? 0) + 1;
    if (answer !== 'ok') return answer;
    if (isEnded(job) || runner === undefined || runner.job !== job) return 'gone';
    act();
    if (!isEnded(job)) job.unanswered = 0;
    return 'ok';
  }

  /** The registration of an ephemeral runner is used up by the attempt (actions/runner issue 4617). */
  #acquire(job: Job, runner: RunnerRecord | undefined): ServiceAnswer {
    const answer = this.#ask(job, runner, 'acquirejob', () => {
      const now = this.#engine.clock.now();
      job.acquiredAt ??= now;
      this.#leases.set(job, now + leaseMs);
      this.#watchLease(job);
    });
    if (answer === 'gone' && runner?.ephemeral === true) this.#consumed(runner);
    return answer;
  }

  #watchLease(job: Job): void {
    const leftMs = this.#leases.get(job)! - this.#engine.clock.now();
    this.#engine.clock.after(leftMs, () => {
      if (isEnded(job)) return;
      if (this.#leases.get(job)! > this.#engine.clock.now()) this.#watchLease(job);
      else this.#end(job, 'lost', 'runner-vanished');
    });
  }

  #start(job: Job, runner: RunnerRecord | undefined): void {
    if (job.state !== 'dispatched' || job.acquiredAt === undefined || runner?.job !== job) return;
    job.state = 'running';
    job.startedAt = this.#engine.clock.now();
    this.#note(job, 'running');
    this.#watcher?.runs(job);
  }

  #finish(job: Job, end: JobEnd): void {
    if ('lost' in end) this.#end(job, 'lost', end.lost);
    else {
      job.result = end.result;
      if (end.output !== undefined) job.output = end.output;
      this.#end(job, 'completed');
    }
  }

  #end(job: Job, state: 'completed' | 'lost', because?: LossCause): void {
    if (isEnded(job)) return;
    job.state = state;
    job.endedAt = this.#engine.clock.now();
    if (because !== undefined) job.lostBecause = because;
    this.#ledger.close(job);
    // Requests with which its runner found GitHub down tell a loss by GitHub from one by the machine.
    const unanswered = job.unanswered ?? 0;
    this.#note(job, state, because === undefined ? {} : { because, ...(unanswered > 0 ? { unanswered } : {}) });
    const runner = this.#runners.get(job);
    if (runner?.job === job) {
      if (runner.ephemeral) this.#consumed(runner);
      this.#release(runner);
    }
    this.#watcher?.ended(job);
    for (const listener of this.#listeners) listener(job);
  }

  #release(runner: RunnerRecord): void {
    runner.job = undefined;
    runner.busyReports = this.#busyFlag.afterEnd(runner.busyReports, this.#engine.clock.now());
    this.#changed(runner);
    if (runner.session === undefined || runner.removal !== undefined) return;
    this.offer(runner);
  }

  #note(job: Job, name: string, more: Readonly<Record<string, unknown>> = {}): void {
    const runner = job.runnerName === undefined ? {} : { runner: job.runnerName };
    const detail = { ...runner, ...more };
    this.#engine.journal.record({ kind: 'transition', source: 'platform.job', name, subject: `job-${job.id}`, detail });
  }
}

const isEnded = (job: Job) => job.state === 'completed' || job.state === 'lost';

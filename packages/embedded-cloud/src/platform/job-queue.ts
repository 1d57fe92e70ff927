import type { Engine } from '../engine/engine.ts';
import { busyAfterDispatch, busyAfterEnd } from './busy-flag.ts';
import type { Job, LossCause, PlatformRunner } from './model.ts';

export interface JobOptions {
  readonly durationMs: number;
  /** Labels that a runner must have, beside `self-hosted`. */
  readonly labels?: readonly string[];
}

/** What a Worker says of the job that it runs. */
export interface JobRun {
  readonly job: Job;
  /** The Worker exists and works. */
  started(): void;
  completed(): void;
  lost(because: LossCause): void;
}

/** A message to a listener takes up to this long. */
const deliveryMs = { least: 200, most: 3_000 };

/** While the platform is down nothing is dispatched; it looks again after this. */
const outageRetryMs = 30_000;

/** Queued jobs and their way to a runner. */
export class JobQueue {
  readonly jobs: Job[] = [];
  #waiting: Job[] = [];
  #engine: Engine;
  #runners: () => Iterable<PlatformRunner>;
  #nextId = 1;

  constructor(engine: Engine, runners: () => Iterable<PlatformRunner>) {
    this.#engine = engine;
    this.#runners = runners;
  }

  /** Jobs that no runner has taken yet. */
  get waiting(): readonly Job[] {
    return this.#waiting;
  }

  enqueue(options: JobOptions): Job {
    const job: Job = {
      id: this.#nextId++,
      labels: options.labels ?? [],
      durationMs: options.durationMs,
      queuedAt: this.#engine.clock.now(),
      state: 'queued',
    };
    this.jobs.push(job);
    this.#waiting.push(job);
    this.#note(job, 'queued');
    this.dispatch();
    return job;
  }

  /** Gives waiting jobs to runners that are connected and free, oldest first. Called whenever either may have changed. */
  dispatch(): void {
    if (this.#waiting.length === 0) return;
    const down = this.#engine.faults.strike({ service: 'platform', operation: 'dispatch' }, ['error', 'timeout']);
    if (down !== undefined) return void this.#engine.clock.after(outageRetryMs, () => this.dispatch());
    const free = [...this.#runners()].filter((runner) => runner.session !== undefined && runner.job === undefined);
    for (const job of [...this.#waiting]) {
      const index = free.findIndex((runner) => job.labels.every((label) => runner.labels.includes(label)));
      if (index < 0) continue;
      const [runner] = free.splice(index, 1);
      this.#waiting = this.#waiting.filter((other) => other !== job);
      this.#assign(job, runner!);
    }
  }

  /** The job's fate, told by whoever runs it. A job that has ended keeps its end. */
  run(job: Job): JobRun {
    return {
      job,
      started: () => {
        if (job.state !== 'dispatched') return;
        job.state = 'running';
        job.startedAt = this.#engine.clock.now();
        this.#note(job, 'running');
      },
      completed: () => this.#end(job, 'completed'),
      lost: (because) => this.#end(job, 'lost', because),
    };
  }

  /** The runner of a job is gone. */
  loseJobOf(runner: PlatformRunner, because: LossCause): void {
    if (runner.job !== undefined) this.#end(runner.job, 'lost', because);
  }

  #assign(job: Job, runner: PlatformRunner): void {
    const now = this.#engine.clock.now();
    Object.assign(job, { state: 'dispatched', runnerId: runner.id, runnerName: runner.name, dispatchedAt: now });
    runner.job = job;
    runner.busyReports = busyAfterDispatch(runner.busyReports, now, job.durationMs, this.#engine.random);
    this.#note(job, 'dispatched');
    const { session } = runner;
    this.#engine.clock.after(this.#engine.random.int(deliveryMs.least, deliveryMs.most), () => {
      if (runner.job !== job) return;
      if (runner.session === undefined || runner.session !== session) return this.#end(job, 'lost', 'listener-stopped');
      session.deliver(job);
    });
  }

  #end(job: Job, state: 'completed' | 'lost', because?: LossCause): void {
    if (job.state === 'completed' || job.state === 'lost') return;
    job.state = state;
    job.endedAt = this.#engine.clock.now();
    if (because !== undefined) job.lostBecause = because;
    this.#note(job, state, because === undefined ? {} : { because });
    for (const runner of this.#runners()) {
      if (runner.job !== job) continue;
      runner.job = undefined;
      runner.busyReports = busyAfterEnd(runner.busyReports, job.endedAt, this.#engine.random);
    }
    this.dispatch();
  }

  #note(job: Job, name: string, more: Readonly<Record<string, unknown>> = {}): void {
    const runner = job.runnerName === undefined ? {} : { runner: job.runnerName };
    this.#engine.journal.record({
      kind: 'transition',
      source: 'platform.job',
      name,
      subject: `job-${job.id}`,
      detail: { ...runner, ...more },
    });
  }
}

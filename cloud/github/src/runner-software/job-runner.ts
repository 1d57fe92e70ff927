import type { Timer } from '@drover/core';
import { workerExit } from './exit-codes.ts';
import { type AcquiredJob, type JobService, type ListenerSystem, Unreachable, type WorkerProcess } from './ports.ts';
import { withRetries } from './retry.ts';

const renewEveryMs = 60_000;
/** A Worker that was asked to give its job up is killed after this: 15 s before the least time that a cancel gives. */
const killAfterMs = 45_000;

/** One job on its listener: first renewal, Worker, a renewal every minute, its end. */
export class JobRunner {
  /** Resolves when the Worker has ended and the result was reported. */
  readonly ended: Promise<void>;
  readonly #system: ListenerSystem;
  readonly #job: AcquiredJob;
  readonly #service: JobService;
  readonly #over = new AbortController();
  #worker: WorkerProcess | undefined;
  #abandoned = false;
  #shutDown = false;
  #killing: Timer | undefined;

  constructor(system: ListenerSystem, job: AcquiredJob, service: JobService) {
    this.#system = system;
    this.#job = job;
    this.#service = service;
    this.ended = this.#run();
  }

  /** The listener ends: the job fails, its remaining steps and the job-completed hook are skipped. */
  shutDown(): void {
    this.#shutDown = true;
    this.#worker?.tell('shutdown');
  }

  async #run(): Promise<void> {
    const { name } = this.#job;
    this.#system.say(`Running job: ${name}`);
    // No Worker is started for a job whose lease cannot be renewed once.
    if (!(await this.#renew())) return this.#system.say(`Job ${name} completed with result: Abandoned`);
    this.#worker = this.#system.startWorker(this.#job, this.#service);
    if (this.#shutDown) this.#worker.tell('shutdown');
    void this.#keepLease();
    const code = await this.#worker.ended;
    this.#over.abort();
    this.#killing?.cancel();
    const result = code === workerExit.succeeded ? 'Succeeded' : 'Failed';
    if (code < 100 || code > 105) await this.#crashed();
    this.#system.say(`Job ${name} completed with result: ${this.#abandoned ? 'Abandoned' : result}`);
  }

  /** One renewal that fails, with all its attempts, ends the job although its lease has minutes left (actions/runner issue 4635). */
  async #keepLease(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#system.clock.sleep(renewEveryMs, signal).catch(() => {});
      if (signal.aborted || (await this.#renew())) continue;
      if (!signal.aborted) this.#abandon();
      return;
    }
  }

  async #renew(): Promise<boolean> {
    try {
      return (await withRetries(this.#system, () => this.#service.renew(), this.#over.signal)) === 'ok';
    } catch (error) {
      if (error instanceof Unreachable || this.#over.signal.aborted) return false;
      throw error;
    }
  }

  #abandon(): void {
    this.#abandoned = true;
    this.#worker?.tell('abandon');
    this.#killing = this.#system.clock.after(killAfterMs, () => this.#worker?.kill());
  }

  /** A Worker that ended without a result: the listener fails the job for it, if it can. */
  async #crashed(): Promise<void> {
    const because = this.#abandoned ? 'abandoned' : 'worker-killed';
    await this.#service.complete({ result: 'failed', because }).catch((error) => {
      if (!(error instanceof Unreachable)) throw error;
    });
  }
}

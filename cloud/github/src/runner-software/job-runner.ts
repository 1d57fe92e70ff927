import { workerExit } from './exit-codes.ts';
import {
  type AcquiredJob,
  type JobService,
  type ListenerSystem,
  timed,
  Unreachable,
  type WorkerMessage,
  type WorkerProcess,
} from './ports.ts';
import { insteadOf, withRetries } from './retry.ts';

const renewEveryMs = 60_000;
/** From the word that a job runs to its first renewal; each of these steps opens a connection of its own (seen of 2.336). */
const firstRenewalMs = 100;
/** Rounds of the first renewal, each with all its attempts, and the pause between them (actions/runner, JobDispatcher.cs). */
const firstRenewal = { rounds: 6, pauseMs: [1_000, 10_000] } as const;

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
  #told: WorkerMessage | undefined;

  constructor(system: ListenerSystem, job: AcquiredJob, service: JobService) {
    this.#system = system;
    this.#job = job;
    this.#service = service;
    this.ended = this.#run();
  }

  /**
   * The listener ends. `shutdown`, by a signal: the job fails, its remaining steps and the job-completed hook are skipped. `cancel`: the hook runs. A
   * job without a Worker is dropped without a word.
   */
  end(message: 'shutdown' | 'cancel'): void {
    this.#told ??= message;
    if (this.#worker === undefined) this.#over.abort();
    else this.#worker.tell(message);
  }

  async #run(): Promise<void> {
    const { name } = this.#job;
    const { clock } = this.#system;
    this.#system.say(timed(this.#system, `Running job: ${name}`));
    await clock.sleep(firstRenewalMs, this.#over.signal).catch(() => {});
    // No Worker is started for a job whose lease cannot be renewed once, and the listener prints nothing about its end.
    if (!(await this.#renewFirst())) return;
    this.#worker = this.#system.startWorker(this.#job, this.#service);
    void this.#keepLease();
    const code = await this.#worker.ended;
    this.#over.abort();
    if (code < 100 || code > 105) await this.#crashed();
    this.#system.say(timed(this.#system, `Job ${name} completed with result: ${this.#result(code)}`));
  }

  /** A job that its runner ended is called cancelled, although GitHub shows a failure. */
  #result(code: number): string {
    if (this.#abandoned) return 'Abandoned';
    if (this.#told !== undefined || code === workerExit.canceled) return 'Canceled';
    return code === workerExit.succeeded ? 'Succeeded' : 'Failed';
  }

  async #renewFirst(): Promise<boolean> {
    const { clock, random } = this.#system;
    const { signal } = this.#over;
    const [least, most] = firstRenewal.pauseMs;
    for (let round = 1; round <= firstRenewal.rounds && !signal.aborted; round++) {
      if (round > 1) await clock.sleep(random.int(least, most), signal).catch(() => {});
      const answer = signal.aborted ? 'gone' : await this.#renew();
      if (answer !== 'unreachable') return answer === 'ok' && !signal.aborted;
    }
    return false;
  }

  /** One renewal that fails, with all its attempts, ends the job although its lease has minutes left (actions/runner issue 4635). */
  async #keepLease(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#system.clock.sleep(renewEveryMs, signal).catch(() => {});
      if (signal.aborted || (await this.#renew()) === 'ok') continue;
      if (!signal.aborted) this.#abandon();
      return;
    }
  }

  async #renew(): Promise<'ok' | 'gone' | 'unreachable'> {
    try {
      return await withRetries(this.#system, () => this.#service.renew(), this.#over.signal);
    } catch (error) {
      if (error instanceof Unreachable || this.#over.signal.aborted) return 'unreachable';
      throw error;
    }
  }

  /** The Worker is waited for without limit. */
  #abandon(): void {
    this.#abandoned = true;
    this.#worker?.tell('abandon');
  }

  /** A Worker that ended without a result: the listener fails the job for it, if it can. */
  async #crashed(): Promise<void> {
    const because = this.#abandoned ? 'abandoned' : 'worker-killed';
    await withRetries(this.#system, () => this.#service.complete({ result: 'failed', because })).catch(
      insteadOf(undefined),
    );
  }
}

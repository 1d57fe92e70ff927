import type { ProcessContext } from '@drover/cloud-machines';
import type { JobRun } from '../../jobs/job-queue.ts';
import type { Job, RunnerSession } from '../../model.ts';
import type { ServiceAnswer } from '../../outage.ts';
import type { Connection } from '../../runners/connections.ts';
import { type AcquiredJob, type JobService, type Message, type Session, Unreachable } from '../ports.ts';

/** From a job's message to its Worker process. */
const acquireMs = { least: 500, most: 2_000 };
/** How much of a long poll may still be left when GitHub goes away. */
const mostPollLeftMs = 25_000;

interface Waiting {
  resolve(message: Message): void;
  reject(error: Error): void;
}

/** A session without requests: the registry hands it what a poll would bring, so that idle time costs nothing. */
export class DirectSession implements Session, RunnerSession {
  readonly version: string;
  readonly #context: ProcessContext;
  readonly #isDown: () => boolean;
  readonly #inbox: Message[] = [];
  readonly #runs = new Map<number, JobRun>();
  connection!: Connection;
  #waiting: Waiting | undefined;
  #breaking = false;

  constructor(context: ProcessContext, version: string, isDown: () => boolean) {
    this.#context = context;
    this.version = version;
    this.#isDown = isDown;
  }

  // ---- Events from GitHub
  // --------------------------------------------------------------------------------------------

  /** A firewall between it and GitHub keeps everything away. */
  reachable(): boolean {
    return !this.#context.machine.isCutOff(this.#context.user);
  }

  deliver(job: Job): void {
    this.#runs.clear();
    this.#runs.set(job.id, this.connection.run(job));
    this.#put({ kind: 'job', jobId: job.id });
  }

  revoked(): void {
    this.#put({ kind: 'registration-deleted' });
  }

  deprecated(): void {
    const text = `Runner version v${this.version} is deprecated and cannot receive messages.`;
    this.#put({ kind: 'deprecated', text });
  }

  broken(): void {
    if (this.#breaking || this.#waiting === undefined) return;
    this.#breaking = true;
    this.#context.clock.after(this.#context.random.int(0, mostPollLeftMs), () => {
      this.#breaking = false;
      if (this.#away()) this.#settle((waiting) => waiting.reject(new Unreachable('the connection was lost')));
    });
  }

  // ---- What the listener asks ----------------------------------------------------------------------------------------

  nextMessage(_status: 'Online' | 'Busy', signal: AbortSignal): Promise<Message> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#away()) return Promise.reject(new Unreachable('no connection'));
    const next = this.#inbox.shift();
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((resolve, reject) => {
      const abort = () => this.#settle((waiting) => waiting.reject(signal.reason));
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting = { resolve, reject };
    });
  }

  async acknowledge(jobId: number): Promise<'ok' | 'gone'> {
    return this.#ask((run) => run.acknowledge(), jobId);
  }

  async acquire(jobId: number, signal: AbortSignal): Promise<AcquiredJob | 'gone'> {
    const { clock, random } = this.#context;
    await clock.sleep(random.int(acquireMs.least, acquireMs.most), signal);
    if (this.#ask((run) => run.acquire(), jobId) === 'gone') return 'gone';
    const { id, durationMs, script, repository } = this.#runs.get(jobId)!.job;
    return {
      id,
      name: `job-${id}`,
      durationMs,
      ...(script === undefined ? {} : { script }),
      ...(repository === undefined ? {} : { repository }),
    };
  }

  job(jobId: number): JobService {
    const run = this.#runs.get(jobId)!;
    const reach = () => this.reachable();
    return directJob(run, reach);
  }

  /** A listener that cannot say goodbye is missed later. */
  async close(): Promise<void> {
    if (this.reachable()) this.connection.close();
    else this.connection.vanish();
  }

  // --------------------------------------------------------------------------------------------------------------------

  #away(): boolean {
    return !this.reachable() || this.#isDown();
  }

  #ask(ask: (run: JobRun) => ServiceAnswer, jobId: number): 'ok' | 'gone' {
    return answered(this.reachable(), () => ask(this.#runs.get(jobId)!));
  }

  /** Through the process's own clock: it sleeps while its machine is hibernated, and is dead when its process is. */
  #put(message: Message): void {
    this.#context.clock.after(0, () => {
      if (this.#waiting === undefined) this.#inbox.push(message);
      else this.#settle((waiting) => waiting.resolve(message));
    });
  }

  #settle(act: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) act(waiting);
  }
}

/** The run service without requests; the registry's result is the response. */
function directJob(run: JobRun, reachable: () => boolean): JobService {
  return {
    async started() {
      run.started();
    },
    async renew() {
      return answered(reachable(), () => run.renew());
    },
    async complete({ result, because, output }) {
      const end = because === undefined ? { result, ...(output === undefined ? {} : { output }) } : { lost: because };
      return answered(reachable(), () => run.complete(end));
    },
  };
}

function answered(reachable: boolean, ask: () => ServiceAnswer): 'ok' | 'gone' {
  const answer = reachable ? ask() : 'unreachable';
  if (answer === 'unreachable') throw new Unreachable('Response status code does not indicate success: 503');
  return answer;
}

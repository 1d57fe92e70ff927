import type { ProcessContext } from '@drover/cloud-machines';
import type { Clock } from '@drover/core';
import type { JobRun } from '../../jobs/job-queue.ts';
import type { Job, RunnerSession } from '../../model.ts';
import { type Away, isAway, type ServiceAnswer } from '../../outage.ts';
import type { Connection } from '../../runners/connections.ts';
import { type AcquiredJob, type JobService, type Message, type Session, Unreachable } from '../ports.ts';

/** From a job's message to its Worker process. */
const acquireMs = { least: 500, most: 2_000 };
/** How much of a long poll may still be left when GitHub goes away. */
const mostPollLeftMs = 25_000;

/** Of each request (actions/runner, RawClientHttpRequestSettings.cs). */
const requestTimeoutMs = 100_000;
/** A new token after a failed poll, while the token service is away, too (seen of 2.336 as the time that a listener takes to its end). */
const refreshMs: Readonly<Record<Away, number>> = {
  refused: 8_000,
  error: 107_000,
  unavailable: 325_000,
  'no-answer': 65_000,
};

interface Waiting {
  resolve(message: Message): void;
  reject(error: Error): void;
}

/** A session without requests: the registry hands it what a poll would bring, so that idle time costs nothing. */
export class DirectSession implements Session, RunnerSession {
  readonly version: string;
  readonly #context: ProcessContext;
  /** How polls fail now, until an outage is over. */
  readonly #outage: () => Away | undefined;
  readonly #tokenOutage: () => Away | undefined;
  #inbox: Message[] = [];
  readonly #runs = new Map<number, JobRun>();
  connection!: Connection;
  #waiting: Waiting | undefined;
  #breaking = false;
  /** Polls share one connection until one of them is given up. */
  #connected = true;

  constructor(
    context: ProcessContext,
    version: string,
    outage: () => Away | undefined,
    tokenOutage: () => Away | undefined,
  ) {
    this.#tokenOutage = tokenOutage;
    this.#context = context;
    this.version = version;
    this.#outage = outage;
  }

  // ---- Events from GitHub
  // --------------------------------------------------------------------------------------------

  /** A firewall between it and GitHub keeps everything away. */
  reachable(): boolean {
    return !this.#context.machine.isCutOff(this.#context.user);
  }

  deliver(job: Job): void {
    // A message that was not read in time went to another runner.
    this.#inbox = this.#inbox.filter(({ kind }) => kind !== 'job');
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
      if (this.#away())
        this.#settle((waiting) => waiting.reject(new Unreachable('the connection was lost', this.#howAway())));
    });
  }

  // ---- What the listener asks ----------------------------------------------------------------------------------------

  nextMessage(_status: 'Online' | 'Busy', signal: AbortSignal): Promise<Message> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#away() || !(this.#connected || this.#mayConnect())) return this.#failedPoll(signal);
    this.#connected = true;
    const next = this.#inbox.shift();
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#connected = false;
        this.#settle((waiting) => waiting.reject(signal.reason));
      };
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
    if ((await this.#over((run) => run.acquire(), jobId)) === 'gone') return 'gone';
    const { id, durationMs, script, uses, repository } = this.#runs.get(jobId)!.job;
    return {
      id,
      name: `job-${id}`,
      durationMs,
      ...(script === undefined ? {} : { script }),
      ...(uses === undefined ? {} : { uses }),
      ...(repository === undefined ? {} : { repository }),
    };
  }

  job(jobId: number): JobService {
    const run = this.#runs.get(jobId)!;
    return directJob(run, this.#context);
  }

  /** The token service tries on its own; the times are those seen of the original. */
  async refresh(signal: AbortSignal): Promise<void> {
    const how = this.#tokenOutage();
    if (how !== undefined) await this.#context.clock.sleep(refreshMs[how], signal);
  }

  /** A listener that cannot say goodbye is missed later. */
  async close(): Promise<void> {
    if (this.#mayConnect() && this.#outage() === undefined) return this.connection.close();
    this.connection.vanish();
    throw new Unreachable('no connection', this.#mayConnect() ? this.#howAway() : 'refused');
  }

  // --------------------------------------------------------------------------------------------------------------------

  #away(): boolean {
    return !this.reachable() || this.#outage() !== undefined;
  }

  #howAway(): Away {
    return this.reachable() ? (this.#outage() ?? 'unavailable') : 'refused';
  }

  #mayConnect(): boolean {
    return this.reachable() && this.#context.machine.mayConnect(this.#context.user);
  }

  async #failedPoll(signal: AbortSignal): Promise<never> {
    const how = this.#away() ? this.#howAway() : 'refused';
    if (how === 'no-answer') await this.#context.clock.sleep(requestTimeoutMs, signal);
    throw new Unreachable('no connection', how);
  }

  /** Over the connection of the polls. */
  #ask(ask: (run: JobRun) => ServiceAnswer, jobId: number): Promise<'ok' | 'gone'> {
    return answered(this.#context.clock, this.reachable(), () => ask(this.#runs.get(jobId)!));
  }

  /** Over a connection of its own. */
  #over(ask: (run: JobRun) => ServiceAnswer, jobId: number): Promise<'ok' | 'gone'> {
    return answered(this.#context.clock, this.#mayConnect(), () => ask(this.#runs.get(jobId)!));
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

/**
 * The run service without requests; the registry's result is the response. As of the original each step has a connection of its own, so that a
 * firewall which lets no new one through stops it.
 */
function directJob(run: JobRun, { machine, clock, user }: ProcessContext): JobService {
  const reaches = () => !machine.isCutOff(user) && machine.mayConnect(user);
  return {
    async started() {
      run.started();
    },
    renew: () => answered(clock, reaches(), () => run.renew()),
    complete({ result, because, output }) {
      const end = because === undefined ? { result, ...(output === undefined ? {} : { output }) } : { lost: because };
      return answered(clock, reaches(), () => run.complete(end));
    },
  };
}

async function answered(clock: Clock, reachable: boolean, ask: () => ServiceAnswer): Promise<'ok' | 'gone'> {
  const answer = reachable ? ask() : 'refused';
  if (answer === 'no-answer') await clock.sleep(requestTimeoutMs);
  if (isAway(answer)) throw new Unreachable('Response status code does not indicate success: 503', answer);
  return answer;
}

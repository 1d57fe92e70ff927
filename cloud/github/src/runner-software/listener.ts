import type { ProcessContext, ProcessView, Program } from '@drover/cloud-machines';
import type { Job } from '../model.ts';
import type { Connection } from '../runners/connections.ts';
import type { RunnerRegistry } from '../runners/runner-registry.ts';
import { type JobHooks, runnerWorker, workerName } from './worker.ts';

/** Where `config.sh` installs and configures the runner. */
export const runnerDirectory = '/opt/actions-runner';
/** Written by `config.sh`; holds which runner this is. */
export const runnerFile = `${runnerDirectory}/.runner`;
export const listenerName = 'Runner.Listener';

export interface RunnerSoftwareOptions {
  readonly hooks?: JobHooks;
  /** Called whenever a Worker appears or ends on this machine. */
  onChange?(): void;
}

/** From a job's message to its Worker process. */
const workerStartMs = { least: 500, most: 2_000 };
/** A listener that cannot connect tries again after this. */
const reconnectMs = { least: 15_000, most: 30_000 };
/** Exit code of a listener whose registration was deleted: its unit does not start it again (actions/runner, constants). */
const terminatedExitCode = 1;

/** The runner's listener: connects, starts a Worker for each job, leaves on a signal. */
export function runnerListener(registry: RunnerRegistry, options: RunnerSoftwareOptions = {}): Program {
  return (context) => new Promise((exit) => new Listener(registry, options, context, exit).start());
}

class Listener {
  readonly #registry: RunnerRegistry;
  readonly #options: RunnerSoftwareOptions;
  readonly #context: ProcessContext;
  readonly #exit: (code: number) => void;
  #connection: Connection | undefined;
  #worker: ProcessView | undefined;
  #leaving = false;

  constructor(
    registry: RunnerRegistry,
    options: RunnerSoftwareOptions,
    context: ProcessContext,
    exit: (code: number) => void,
  ) {
    this.#registry = registry;
    this.#options = options;
    this.#context = context;
    this.#exit = exit;
  }

  start(): void {
    const { signal } = this.#context;
    // A signal cancels the job that runs: the Worker is signalled, then the listener exits (github.com/actions/runner, Runner.Listener).
    for (const name of ['SIGINT', 'SIGTERM'] as const) this.#context.onSignal(name, () => this.#interrupted());
    signal.addEventListener('abort', () => this.#leaving || this.#connection?.vanish(), { once: true });
    this.#connect();
  }

  /** Tries until GitHub is there and has noticed that the connection before is gone. */
  #connect(): void {
    if (this.#leaving) return;
    const { id } = JSON.parse(this.#context.machine.files.get(runnerFile) ?? '{}') as { readonly id?: number };
    const answer = this.#registry.connect(id ?? 0, {
      reachable: () => !this.#cutOff,
      deliver: (job) => this.#deliver(job),
      revoked: () => this.#leave(terminatedExitCode),
    });
    if (typeof answer !== 'string') this.#connection = answer;
    else if (answer === 'unknown-runner') this.#leave(terminatedExitCode);
    else this.#connectLater();
  }

  #connectLater(): void {
    const { clock, random } = this.#context;
    clock.after(random.int(reconnectMs.least, reconnectMs.most), () => this.#connect());
  }

  #deliver(job: Job): void {
    const { clock, random } = this.#context;
    clock.after(random.int(workerStartMs.least, workerStartMs.most), () => {
      if (!this.#leaving) this.#startWorker(job);
    });
  }

  #startWorker(job: Job): void {
    const run = this.#connection!.run(job);
    const worker = this.#context.spawn(workerName, runnerWorker(run, this.#options.hooks), {
      argv: [`${runnerDirectory}/bin/${workerName}`],
    });
    this.#worker = worker;
    this.#options.onChange?.();
    void worker.ended.then((code) => {
      if (code !== 0) run.lost('worker-killed');
      this.#worker = undefined;
      this.#options.onChange?.();
    });
  }

  /** A firewall is between it and GitHub. */
  get #cutOff(): boolean {
    return this.#context.machine.isCutOff(this.#context.user);
  }

  #interrupted(): void {
    this.#worker?.signal('SIGINT');
    this.#leave(0);
  }

  #leave(code: number): void {
    if (this.#leaving) return;
    this.#leaving = true;
    if (this.#cutOff) this.#connection?.vanish();
    else this.#connection?.close();
    this.#exit(code);
  }
}

import type { HttpHandler } from '@drover/cloud-engine';
import { type KillableProcess, never } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { Hibernation, ProcessView, SignalName } from '../program.ts';
import { FreezableClock } from './freezable-clock.ts';

/** signal(7) */
const signalNumbers: Readonly<Record<SignalName, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Exit code of a process that a signal ended, as shells report it. */
const killedExitCode = (signal: SignalName): number => 128 + signalNumbers[signal];

/** The machine of a process and its start options. */
interface ProcessOrigin {
  readonly pid: number;
  readonly name: string;
  readonly user: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Name of the service unit whose control group it is in. */
  readonly unit: string | undefined;
  /** It is the process that its unit started. */
  readonly main: boolean;
  /** In a container: one network hop further from the metadata service. */
  readonly container: boolean;
  readonly parent: MachineProcess | undefined;
}

type Handled = Exclude<SignalName, 'SIGKILL'>;

/** A running program. When it dies, or while its machine is frozen, nothing that it waits for settles. */
export class MachineProcess implements ProcessView, KillableProcess {
  readonly pid: number;
  readonly name: string;
  readonly user: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly unit: string | undefined;
  readonly main: boolean;
  readonly container: boolean;
  readonly startedAt: number;
  readonly clock: FreezableClock;
  readonly random: Random;
  readonly ended: Promise<number>;
  parent: MachineProcess | undefined;
  exitCode: number | undefined;
  /** The signal that ended it, if one did. */
  killedBy: SignalName | undefined;
  /** Made when someone asks for it: most processes end unobserved. */
  #abort: AbortController | undefined;
  readonly #handlers = new Map<Handled, () => void>();
  readonly #onExit: (process: MachineProcess) => void;
  readonly #onLog: (process: MachineProcess, line: string, tag?: string) => void;
  #hibernation: Hibernation | undefined;
  #settleEnded!: (exitCode: number) => void;
  /** Undefined while the machine runs; what waits for it while it is frozen. */
  #thawQueue: (() => void)[] | undefined;

  constructor(
    origin: ProcessOrigin,
    world: { readonly clock: Clock; readonly random: Random },
    hooks: { onExit(process: MachineProcess): void; onLog(process: MachineProcess, line: string, tag?: string): void },
  ) {
    this.pid = origin.pid;
    this.name = origin.name;
    this.user = origin.user;
    this.argv = origin.argv;
    this.env = origin.env;
    this.stdin = origin.stdin;
    this.unit = origin.unit;
    this.main = origin.main;
    this.container = origin.container;
    this.parent = origin.parent;
    this.startedAt = world.clock.now();
    this.clock = new FreezableClock(world.clock, (error) => this.fail(error));
    this.random = world.random.fork(`${origin.pid}/${origin.name}`);
    this.#onExit = hooks.onExit;
    this.#onLog = hooks.onLog;
    this.ended = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
  }

  get alive(): boolean {
    return this.exitCode === undefined;
  }

  get abortSignal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (!this.alive) this.#abort.abort(this.#hasEnded());
    }
    return this.#abort.signal;
  }

  onSignal(signal: Handled, act: () => void): void {
    this.#handlers.set(signal, act);
  }

  onHibernation(acts: Hibernation): void {
    this.#hibernation = acts;
  }

  /** A handler runs, or the process ends. A frozen process gets it when it wakes; SIGKILL needs no cooperation. */
  signal(signal: SignalName): void {
    if (signal === 'SIGKILL') return void this.end(killedExitCode(signal), signal);
    this.whenRunning(() => {
      const handler = this.#handlers.get(signal);
      if (handler === undefined) return void this.end(killedExitCode(signal), signal);
      try {
        handler();
      } catch (error) {
        this.fail(error);
      }
    });
  }

  /** For fault injection: dies between two instructions. */
  kill(reason: string): void {
    this.log(`killed: ${reason}`);
    this.signal('SIGKILL');
  }

  log(line: string, tag?: string): void {
    if (this.alive) this.#onLog(this, line, tag);
  }

  /** An error that the program did not catch. */
  fail(error: unknown): void {
    if (!this.alive) return;
    this.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    this.end(1);
  }

  end(exitCode: number, signal?: SignalName): void {
    if (!this.alive) return;
    this.exitCode = exitCode;
    this.killedBy = signal;
    this.clock.stop();
    this.#handlers.clear();
    this.#thawQueue = undefined;
    this.#onExit(this);
    this.#settleEnded(exitCode);
    this.#abort?.abort(this.#hasEnded());
  }

  #hasEnded(): Error {
    return new Error(`process ${this.pid} (${this.name}) has ended`);
  }

  freeze(): void {
    this.clock.freeze();
    this.#thawQueue ??= [];
    this.#hibernation?.freeze();
  }

  thaw(): void {
    const queue = this.#thawQueue ?? [];
    this.#thawQueue = undefined;
    this.clock.thaw();
    this.#hibernation?.thaw();
    for (const act of queue) this.whenRunning(act);
  }

  /** Acts now, when the machine wakes, or never when the process is dead. */
  whenRunning(act: () => void): void {
    if (!this.alive) return;
    if (this.#thawQueue === undefined) act();
    else this.#thawQueue.push(act);
  }

  /** A promise as this process sees it. */
  guard<T>(promise: Promise<T>): Promise<T> {
    if (!this.alive) return never;
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.whenRunning(() => resolve(value)),
        (error) => this.whenRunning(() => reject(error)),
      );
    });
  }

  /**
   * The network as this process sees it. A response that comes while the machine is hibernated is lost: the other side
   * has given up by the time it wakes, and the connection is reset (an assumption, not verified).
   */
  guardHttp(http: HttpHandler): HttpHandler {
    return (request) => {
      if (!this.alive) return never;
      return new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          const frozen = this.#thawQueue !== undefined;
          this.whenRunning(frozen ? () => reject(connectionReset()) : act);
        };
        http(request).then(
          (response) => settle(() => resolve(response)),
          (error) => settle(() => reject(error)),
        );
      });
    };
  }
}

const connectionReset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

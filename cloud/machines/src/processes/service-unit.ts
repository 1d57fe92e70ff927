import type { Clock, Timer } from '@drover/core';
import type { ProcessEnd, ServiceDefinition, ServiceState } from '../program.ts';
import type { MachineProcess } from './process.ts';

/** The part of its machine that a unit needs. */
interface UnitHost {
  readonly clock: Clock;
  spawn(definition: ServiceDefinition): MachineProcess;
  moved(unit: ServiceUnit, from: ServiceState, result: string): void;
}

const defaultStopTimeoutMs = 90_000;
const defaultRestartDelayMs = 100;
/** systemd.unit(5): StartLimitBurst= and StartLimitIntervalSec=. */
const startLimit = { starts: 5, withinMs: 10_000 };

/** A service with its control group, as systemd.service(5) and systemd.kill(5) describe it. */
export class ServiceUnit {
  readonly name: string;
  definition: ServiceDefinition;
  state: ServiceState = 'inactive';
  readonly #host: UnitHost;
  readonly #group = new Set<MachineProcess>();
  #main: MachineProcess | undefined;
  #timer: Timer | undefined;
  #stopRequested = false;
  #startAfterStop = false;
  #timedOut = false;
  #starts: number[] = [];
  #waiting: (() => void)[] = [];

  constructor(definition: ServiceDefinition, host: UnitHost) {
    this.name = definition.name;
    this.definition = definition;
    this.#host = host;
  }

  /** How its main process ended; undefined while that runs and before its first start. */
  get lastEnd(): ProcessEnd | undefined {
    const { exitCode, killedBy: signal } = this.#main ?? {};
    return exitCode === undefined ? undefined : { exitCode, signal };
  }

  start(): void {
    if (this.state === 'active') return;
    if (this.state === 'deactivating') this.#startAfterStop = true;
    else this.#launch();
  }

  /** Resolves when the unit has come to rest. */
  stop(): Promise<void> {
    this.#startAfterStop = false;
    if (this.state === 'activating') this.#rest('inactive', 'stopped before restart');
    if (this.state === 'active') {
      this.#stopRequested = true;
      this.#deactivate('stop');
    }
    if (this.state !== 'deactivating') return Promise.resolve();
    this.#stopRequested = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  joined(process: MachineProcess): void {
    this.#group.add(process);
  }

  left(process: MachineProcess): void {
    this.#group.delete(process);
    if (this.state === 'active' && process === this.#main) this.#deactivate('exit');
    else if (this.state === 'deactivating') this.#finishWhenEmpty();
  }

  /** The machine has no power: nothing runs, nothing is restarted. */
  powerLost(): void {
    this.#timer?.cancel();
    this.#group.clear();
    this.#waiting = [];
    this.#main = undefined;
    this.state = 'inactive';
  }

  #launch(): void {
    this.#timer?.cancel();
    const now = this.#host.clock.now();
    this.#starts = this.#starts.filter((at) => now - at < startLimit.withinMs);
    if (this.#starts.length >= startLimit.starts) return void this.#rest('failed', 'start-limit-hit');
    this.#starts.push(now);
    this.#stopRequested = false;
    this.#timedOut = false;
    this.#move('active', 'started');
    this.#main = this.#host.spawn(this.definition);
  }

  /** The stop signal goes to the whole group, or to the main process only; what is left after the time gets SIGKILL. */
  #deactivate(why: 'stop' | 'exit'): void {
    this.#move('deactivating', why);
    const { killMode = 'control-group', stopSignal = 'SIGTERM', stopTimeoutMs } = this.definition;
    this.#timer = this.#host.clock.after(stopTimeoutMs ?? defaultStopTimeoutMs, () => this.#killRest());
    const targets = [...this.#group].filter((process) => killMode === 'control-group' || process === this.#main);
    for (const process of targets) process.signal(stopSignal);
    if (this.state === 'deactivating') this.#finishWhenEmpty();
  }

  #killRest(): void {
    this.#timedOut = true;
    const { killMode = 'control-group' } = this.definition;
    for (const process of [...this.#group])
      if (killMode !== 'process' || process === this.#main) process.signal('SIGKILL');
  }

  #finishWhenEmpty(): void {
    const { killMode = 'control-group' } = this.definition;
    const mainGone = this.#main === undefined || !this.#group.has(this.#main);
    if (mainGone && killMode === 'mixed' && this.#group.size > 0)
      for (const process of [...this.#group]) process.signal('SIGKILL');
    if (this.state !== 'deactivating') return;
    if (mainGone && (this.#group.size === 0 || killMode === 'process')) this.#finish();
  }

  #finish(): void {
    this.#timer?.cancel();
    const { restart = 'no', restartDelayMs, restartPreventExitStatus, successExitStatus } = this.definition;
    const clean = !this.#timedOut && cleanExit(this.#main, successExitStatus);
    const prevented = restartPreventExitStatus?.includes(this.#main?.exitCode ?? 0) === true;
    const again = restart === 'always' || (restart === 'on-failure' && !clean);
    if (!this.#stopRequested && again && !prevented) {
      this.#move('activating', 'auto-restart');
      this.#timer = this.#host.clock.after(restartDelayMs ?? defaultRestartDelayMs, () => this.#launch());
      return;
    }
    const result = this.#timedOut ? 'timeout' : clean ? 'success' : 'exit-code';
    const startsAfterStop = this.#startAfterStop;
    this.#startAfterStop = false;
    this.#rest(clean ? 'inactive' : 'failed', result);
    if (startsAfterStop) this.#launch();
  }

  #rest(state: 'inactive' | 'failed', result: string): void {
    this.#timer?.cancel();
    this.#move(state, result);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #move(to: ServiceState, result: string): void {
    const from = this.state;
    this.state = to;
    if (from !== to) this.#host.moved(this, from, result);
  }
}

/** Exit code 0, or ended by one of the signals that ask a daemon to end: systemd.service(5), SuccessExitStatus=. */
function cleanExit(main: MachineProcess | undefined, alsoClean: readonly number[] = []): boolean {
  if (main?.killedBy !== undefined) return main.killedBy !== 'SIGKILL';
  return main?.exitCode === 0 || alsoClean.includes(main?.exitCode ?? -1);
}

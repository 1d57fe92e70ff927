import type { Clock, Timer } from '@drover/core';
import type { ProcessEnd, Program, ServiceDefinition, ServiceState } from '../program.ts';
import type { MachineProcess } from './process.ts';

/** The part of its machine that a unit needs. */
interface UnitHost {
  readonly clock: Clock;
  spawn(definition: ServiceDefinition, program: Program, main: boolean): MachineProcess;
  moved(unit: ServiceUnit, from: ServiceState, result: string): void;
}

const defaultTimeoutMs = 90_000;
const defaultRestartDelayMs = 100;
/** systemd.unit(5): StartLimitBurst= and StartLimitIntervalSec=. */
const startLimit = { starts: 5, withinMs: 10_000 };

/** A service with its control group, as systemd.service(5) and systemd.kill(5) describe it. */
export class ServiceUnit {
  readonly name: string;
  definition: ServiceDefinition;
  state: ServiceState = 'inactive';
  /** `success`, or the first thing that went wrong since its start. */
  result = 'success';
  /** When it last left and reached a state in which nothing of it runs. */
  leftRestAt: number | undefined;
  restedAt: number | undefined;
  readonly #host: UnitHost;
  readonly #group = new Set<MachineProcess>();
  #main: MachineProcess | undefined;
  /** A command before or after the main process, and what follows it. */
  #control: { readonly process: MachineProcess; readonly ended: (succeeded: boolean) => void } | undefined;
  #timer: Timer | undefined;
  #stopRequested = false;
  #startAfterStop = false;
  #stopPostDone = false;
  #waitsForRestart = false;
  #starts: number[] = [];
  #stopping: (() => void)[] = [];
  #starting: ((succeeded: boolean) => void)[] = [];

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

  get atRest(): boolean {
    return this.state === 'inactive' || this.state === 'failed';
  }

  /** Undefined when none is. */
  get startUnderWay(): Promise<boolean> | undefined {
    if (this.#starting.length === 0) return undefined;
    return new Promise((resolve) => this.#starting.push(resolve));
  }

  /** Resolves when the start is over, with whether it succeeded; one that is under way is joined. */
  start(): Promise<boolean> {
    if (this.state === 'active') return Promise.resolve(true);
    const started = new Promise<boolean>((resolve) => this.#starting.push(resolve));
    if (this.state === 'deactivating') this.#startAfterStop = true;
    else if (this.atRest) this.#launch();
    return started;
  }

  /** Resolves when the unit has come to rest. */
  stop(): Promise<void> {
    this.#startAfterStop = false;
    this.#settleStart(false);
    if (this.#waitsForRestart) this.#rest('inactive', 'stopped before restart');
    if (this.atRest) return Promise.resolve();
    this.#stopRequested = true;
    if (this.state !== 'deactivating') this.#deactivate('stop');
    if (this.atRest) return Promise.resolve();
    return new Promise((resolve) => this.#stopping.push(resolve));
  }

  /** For services of type `notify`. */
  ready(): void {
    if (this.state === 'activating' && this.definition.type === 'notify') this.#started();
  }

  joined(process: MachineProcess): void {
    this.#group.add(process);
  }

  left(process: MachineProcess): void {
    this.#group.delete(process);
    const control = this.#control;
    if (process === control?.process) {
      this.#control = undefined;
      control.ended(process.exitCode === 0);
    } else if (process === this.#main) this.#mainEnded(process);
    else if (this.state === 'deactivating') this.#finishWhenEmpty();
  }

  /** The machine has no power: nothing runs, nothing is restarted. */
  powerLost(): void {
    this.#timer?.cancel();
    this.#group.clear();
    this.#stopping = [];
    this.#starting = [];
    this.#main = undefined;
    this.#control = undefined;
    this.#waitsForRestart = false;
    this.leftRestAt = undefined;
    this.restedAt = undefined;
    this.state = 'inactive';
  }

  #launch(): void {
    this.#timer?.cancel();
    this.#waitsForRestart = false;
    const { mayStart, type = 'simple', startPre, startPost, startTimeoutMs, startLimitMs } = this.definition;
    const now = this.#host.clock.now();
    if (mayStart?.() === false) {
      this.#settleStart(true);
      return void this.#rest('inactive', 'condition');
    }
    this.#starts = this.#starts.filter((at) => now - at < (startLimitMs ?? startLimit.withinMs));
    if (this.#starts.length >= startLimit.starts) {
      this.result = 'start-limit-hit';
      return void this.#rest('failed', this.result);
    }
    this.#starts.push(now);
    this.#stopRequested = false;
    this.#stopPostDone = false;
    this.#main = undefined;
    this.result = 'success';
    const limitMs = startTimeoutMs ?? (type === 'oneshot' ? 0 : defaultTimeoutMs);
    const atOnce = type === 'simple' && startPre === undefined && startPost === undefined;
    if (!atOnce) {
      this.#move('activating', 'starting');
      if (limitMs > 0) this.#timer = this.#host.clock.after(limitMs, () => this.#fail('timeout'));
    }
    this.#command(startPre, () => this.#begin());
  }

  /** Runs a command of the unit, if there is one; its failure is the unit's. */
  #command(program: Program | undefined, then: () => void): void {
    if (program === undefined) return void then();
    const process = this.#host.spawn(this.definition, program, false);
    this.#control = { process, ended: (succeeded) => (succeeded ? then() : this.#fail('exit-code')) };
  }

  #begin(): void {
    const { type = 'simple', startPost } = this.definition;
    if (type === 'simple' && startPost === undefined) this.#up();
    this.#main = this.#host.spawn(this.definition, this.definition.program, true);
    if (type === 'simple' && startPost !== undefined) this.#started();
  }

  #started(): void {
    this.#command(this.definition.startPost, () => this.#up());
  }

  #up(): void {
    this.#timer?.cancel();
    const { type, remainAfterExit } = this.definition;
    if (type === 'oneshot' && !remainAfterExit) this.#deactivate('exit');
    else this.#move('active', 'started');
    this.#settleStart(true);
  }

  #mainEnded(main: MachineProcess): void {
    const { type, successExitStatus } = this.definition;
    const clean = cleanExit(main, type === 'oneshot', successExitStatus);
    if (!clean) this.#note(main.killedBy === undefined ? 'exit-code' : 'signal');
    if (this.state === 'deactivating') return void this.#finishWhenEmpty();
    if (type === 'oneshot' && clean) return void this.#started();
    if (type === 'notify' && this.state === 'activating') this.#note('protocol');
    this.#deactivate('exit');
  }

  /** The first thing that went wrong is the result. */
  #note(result: string): void {
    if (this.result === 'success') this.result = result;
  }

  #fail(result: string): void {
    this.#note(result);
    if (this.state !== 'deactivating') this.#deactivate(result);
  }

  /** The stop signal goes to the whole group, or to the main process only; what is left after the time gets SIGKILL. */
  #deactivate(why: string): void {
    this.#timer?.cancel();
    this.#move('deactivating', why);
    const { killMode = 'control-group', stopSignal = 'SIGTERM', stopTimeoutMs = defaultTimeoutMs } = this.definition;
    if (stopTimeoutMs > 0) this.#timer = this.#host.clock.after(stopTimeoutMs, () => this.#killRest());
    const targets = [...this.#group].filter((process) => killMode === 'control-group' || this.#isOwn(process));
    for (const process of targets) process.signal(stopSignal);
    if (this.state === 'deactivating') this.#finishWhenEmpty();
  }

  #isOwn(process: MachineProcess): boolean {
    return process === this.#main || process === this.#control?.process;
  }

  #killRest(): void {
    this.#note('timeout');
    const { killMode = 'control-group' } = this.definition;
    for (const process of [...this.#group])
      if (killMode !== 'process' || this.#isOwn(process)) process.signal('SIGKILL');
  }

  #finishWhenEmpty(): void {
    const { killMode = 'control-group' } = this.definition;
    const ownGone = ![...this.#group].some((process) => this.#isOwn(process));
    if (ownGone && killMode === 'mixed' && this.#group.size > 0)
      for (const process of [...this.#group]) process.signal('SIGKILL');
    if (this.state !== 'deactivating') return;
    if (ownGone && (this.#group.size === 0 || killMode === 'process')) this.#finish();
  }

  #finish(): void {
    this.#timer?.cancel();
    const { restart = 'no', restartDelayMs, restartPreventExitStatus, stopPost } = this.definition;
    if (stopPost !== undefined && !this.#stopPostDone) {
      this.#stopPostDone = true;
      return void this.#command(stopPost, () => this.#finish());
    }
    const failed = this.result !== 'success';
    const prevented = restartPreventExitStatus?.includes(this.#main?.exitCode ?? -1) === true;
    const again = restart === 'always' || (restart === 'on-failure' && failed);
    if (!this.#stopRequested && again && !prevented) {
      this.#settleStart(false);
      this.#waitsForRestart = true;
      this.#move('activating', 'auto-restart');
      this.#timer = this.#host.clock.after(restartDelayMs ?? defaultRestartDelayMs, () => this.#launch());
      return;
    }
    const startsAfterStop = this.#startAfterStop;
    this.#startAfterStop = false;
    this.#rest(failed ? 'failed' : 'inactive', this.result, !startsAfterStop);
    if (startsAfterStop) this.#launch();
  }

  #rest(state: 'inactive' | 'failed', result: string, endsStart = true): void {
    this.#timer?.cancel();
    this.#waitsForRestart = false;
    this.#move(state, result);
    const stopping = this.#stopping;
    this.#stopping = [];
    for (const resolve of stopping) resolve();
    if (endsStart) this.#settleStart(state === 'inactive');
  }

  #settleStart(succeeded: boolean): void {
    const starting = this.#starting;
    this.#starting = [];
    for (const resolve of starting) resolve(succeeded);
  }

  #move(to: ServiceState, result: string): void {
    const from = this.state;
    const rested = this.atRest;
    this.state = to;
    if (from === to) return;
    if (rested && !this.atRest) this.leftRestAt = this.#host.clock.now();
    if (!rested && this.atRest) this.restedAt = this.#host.clock.now();
    this.#host.moved(this, from, result);
  }
}

/**
 * Exit code 0, or ended by one of the signals that ask a daemon to end: systemd.service(5), SuccessExitStatus=. A oneshot that a
 * signal ended has not done its work.
 */
function cleanExit(main: MachineProcess, oneshot: boolean, alsoClean: readonly number[] = []): boolean {
  if (main.killedBy !== undefined) return main.killedBy !== 'SIGKILL' && !oneshot;
  return main.exitCode === 0 || alsoClean.includes(main.exitCode ?? -1);
}

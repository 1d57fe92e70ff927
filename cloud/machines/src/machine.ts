import type { Engine, HttpHandler, Network } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import type { Instance } from './account.ts';
import { Cron } from './cron.ts';
import { LogBook, type LogLine } from './log-book.ts';
import { FreezableClock } from './processes/freezable-clock.ts';
import { MachineProcess } from './processes/process.ts';
import { type ProcessHost, processContext } from './processes/process-context.ts';
import {
  builtInCommands,
  type CommandHost,
  CommandRun,
  type OutputSink,
  type RunningCommand,
  runByShell,
} from './processes/run-command.ts';
import { ServiceUnit } from './processes/service-unit.ts';
import { TimerUnit } from './processes/timer-unit.ts';
import type {
  CommandResult,
  ProcessEnd,
  ProcessView,
  Program,
  ServiceDefinition,
  ServiceState,
  Shell,
  SpawnOptions,
  TimerDefinition,
} from './program.ts';

/** The state of a machine between power on and power off. */
type MachineState = 'off' | 'booting' | 'up' | 'shutting-down' | 'saving' | 'hibernated' | 'crashed' | 'gone';

/** A system that does not come down by itself is cut off: systemd-system.conf(5), DefaultTimeoutStopSec= for the last unit. */
const shutDownLimitMs = 90_000;

/** An observer of every machine: it sees what a process was started with, and what it logs. */
export interface MachineWatch {
  started(instanceId: string, process: MachineProcess): void;
  logged(instanceId: string, unit: string, line: string): void;
}

/** The world around a machine. */
interface MachineOutside {
  readonly watch?: MachineWatch;
  /** Of all that is drawn on it. @default the id of its instance */
  readonly seed?: string;
  /** EC2 notices that the system has powered off. */
  poweredOff(): void;
}

/** The machine's side of its remote-command agent. */
interface AgentControl {
  kill(reason: string): void;
  /** Asks the fault plan whether the agent dies now. */
  askFaults(): void;
}

/** The operating system of one instance, as far as it matters. */
export class Machine implements ProcessHost {
  readonly instance: Instance;
  readonly hostName: string;
  readonly files = new Map<string, string>();
  readonly fifos = new Set<string>();
  readonly mounts = new Set<string>();
  readonly disk = { freeBytes: 20 * 1024 ** 3 };
  readonly random: Random;
  /** Time of everything on the machine that is not a process of its own. A new one for each boot. */
  clock: FreezableClock;
  state: MachineState = 'off';
  bootCount = 0;
  /** Of the present boot; undefined without one. */
  agent: AgentControl | undefined;
  readonly #engine: Engine;
  readonly #network: Network;
  readonly #watch: MachineWatch | undefined;
  readonly #poweredOff: () => void;
  readonly #processes = new Map<number, MachineProcess>();
  readonly #units = new Map<string, ServiceUnit>();
  readonly #timers = new Map<string, TimerUnit>();
  readonly #commands = new Map<string, Program>(Object.entries(builtInCommands));
  readonly #locks = new Map<string, MachineProcess>();
  readonly #logs = new LogBook();
  readonly #cron: Cron;
  readonly #metadataDenied = new Set<string>();
  readonly #cutOff = new Map<string, true | 'new-connections'>();
  #hasAgent = false;
  #startAgent: () => void = () => {};
  #shell: Shell | undefined;
  #nextPid = 2;
  #afterShutDown: 'off' | 'gone' = 'off';

  constructor(instance: Instance, engine: Engine, network: Network, outside: MachineOutside) {
    this.instance = instance;
    this.#watch = outside.watch;
    this.#poweredOff = outside.poweredOff;
    this.hostName = instance.privateDnsName.split('.')[0] ?? instance.id;
    this.#engine = engine;
    this.#network = network;
    this.random = engine.random.fork(`machine/${outside.seed ?? instance.id}`);
    this.#cron = new Cron(engine.clock);
    this.clock = this.#newClock();
  }

  // ---- Power -------------------------------------------------------------------------------------------------------

  /** Records where the machine is now. */
  move(to: MachineState, detail?: Readonly<Record<string, unknown>>): void {
    const name = `${this.state} -> ${to}`;
    this.state = to;
    this.#record('transition', name, detail);
  }

  /** The kernel runs: cron does, and `programs` begin. */
  up(programs: readonly Program[]): void {
    this.bootCount += 1;
    this.#shell = undefined;
    // It is in memory.
    for (const path of this.files.keys()) if (path.startsWith('/run/')) this.files.delete(path);
    this.move('up', { boot: this.bootCount });
    this.#cron.run();
    for (const program of programs) this.spawn('cloud-init', program);
  }

  freeze(): void {
    this.#cron.pause();
    this.clock.freeze();
    for (const process of this.#processes.values()) process.freeze();
  }

  thaw(): void {
    this.#cron.run();
    this.clock.thaw();
    for (const process of [...this.#processes.values()]) process.thaw();
  }

  /**
   * Goes down in order: services are stopped and all other processes get SIGTERM. A process that still runs when the
   * power goes is gone. "Terminate Amazon EC2 instances": the operating system is asked to shut down first.
   */
  shutDown(to: 'off' | 'gone'): void {
    if (this.state !== 'up') return void this.lose(to);
    this.move('shutting-down');
    this.#afterShutDown = to;
    this.#cron.pause();
    this.clock.after(shutDownLimitMs, () => this.lose(to));
    const stopped = [...this.#timers.values(), ...this.#units.values()].map((unit) => unit.stop());
    this.#askToEnd((process) => process.unit === undefined);
    // Those that their units left alone are asked last.
    void Promise.all(stopped).then(() => this.#askToEnd((process) => process.unit !== undefined));
    this.#loseWhenEmpty();
  }

  powerOff(): void {
    this.#poweredOff();
  }

  #askToEnd(whom: (process: MachineProcess) => boolean): void {
    if (this.state === 'shutting-down') for (const each of this.processes().filter(whom)) each.signal('SIGTERM');
  }

  #loseWhenEmpty(): void {
    if (this.state === 'shutting-down' && this.#processes.size === 0) this.lose(this.#afterShutDown);
  }

  /** Everything that ran is gone at once; files stay. */
  lose(to: 'off' | 'crashed' | 'gone', detail?: Readonly<Record<string, unknown>>): void {
    if (this.state === to) return;
    this.move(to, detail);
    this.#cron.pause();
    this.clock.stop();
    for (const unit of [...this.#timers.values(), ...this.#units.values()]) unit.powerLost();
    for (const process of [...this.#processes.values()]) process.end(137, 'SIGKILL');
    this.#metadataDenied.clear();
    this.#cutOff.clear();
    if (to === 'off') this.clock = this.#newClock();
  }

  // ---- Processes ---------------------------------------------------------------------------------------------------

  processes(): readonly MachineProcess[] {
    return [...this.#processes.values()];
  }

  spawn(name: string, program: Program, options: SpawnOptions = {}): ProcessView {
    return this.launch(name, program, options);
  }

  /** Starts a process; what a parent is decides what it does not say itself. */
  launch(
    name: string,
    program: Program,
    options: SpawnOptions & { readonly parent?: MachineProcess; readonly unit?: string; readonly main?: boolean } = {},
    output?: OutputSink,
  ): MachineProcess {
    if (!this.#running) throw new Error(`machine ${this.instance.id} is ${this.state}: no process can start`);
    const { parent } = options;
    const origin = {
      pid: this.#nextPid++,
      name,
      user: options.user ?? parent?.user ?? 'root',
      argv: options.argv ?? [name],
      env: { ...parent?.env, ...options.env },
      stdin: options.stdin ?? '',
      unit: options.unit ?? parent?.unit,
      main: options.main === true,
      container: options.container ?? parent?.container ?? false,
      parent,
    };
    const process = new MachineProcess(
      origin,
      { clock: this.#engine.clock, random: this.random },
      {
        onExit: (ended) => this.#exited(ended),
        onLog: (from, line, tag) => {
          const { user, main } = from;
          this.#logs.add(from.unit ?? from.name, line, this.#engine.clock.now(), { user, main, tag });
          this.#watch?.logged(this.instance.id, from.unit ?? from.name, line);
        },
      },
    );
    this.#processes.set(process.pid, process);
    this.#watch?.started(this.instance.id, process);
    if (process.unit !== undefined) this.#units.get(process.unit)?.joined(process);
    const context = processContext(this, process, this.#networkOf(process), output);
    const run = async () => program(context);
    run().then(
      (exitCode) => process.whenRunning(() => process.end(exitCode)),
      (error) => process.whenRunning(() => process.fail(error)),
    );
    return process;
  }

  #networkOf(process: MachineProcess): HttpHandler {
    const { id, subnetId } = this.instance;
    return process.guardHttp(this.#network.from({ kind: 'machine', name: id, subnetIds: [subnetId], process }));
  }

  /** Children of a dead process go on without it; its unit decides what becomes of them. */
  #exited(process: MachineProcess): void {
    this.#processes.delete(process.pid);
    for (const other of this.#processes.values()) if (other.parent === process) other.parent = undefined;
    const { name, pid, unit, exitCode } = process;
    this.#record('note', 'process-exit', { process: name, pid, ...(unit !== undefined && { unit }), exitCode });
    if (this.#running && unit !== undefined) this.#units.get(unit)?.left(process);
    this.#loseWhenEmpty();
  }

  get #running(): boolean {
    return this.state === 'up' || this.state === 'shutting-down';
  }

  // ---- Services ----------------------------------------------------------------------------------------------------

  defineService(definition: ServiceDefinition): void {
    const unit = this.#units.get(definition.name);
    if (unit !== undefined) unit.definition = definition;
    else this.#units.set(definition.name, new ServiceUnit(definition, this.#unitHost(definition.name)));
  }

  defineTimer(definition: TimerDefinition): void {
    const timer = this.#timers.get(definition.name);
    const unit = this.#units.get(definition.unit);
    if (timer !== undefined) timer.definition = definition;
    else if (unit === undefined) throw new Error(`Unit ${definition.unit}.service not found.`);
    else this.#timers.set(definition.name, new TimerUnit(definition, unit, this.#unitHost(definition.name)));
  }

  startService(name: string): Promise<boolean> {
    const unit = this.#unit(name);
    const after = unit instanceof ServiceUnit ? (unit.definition.after ?? []) : [];
    const under = after.flatMap((each) => this.#units.get(each)?.startUnderWay ?? []);
    return under.length === 0 ? unit.start() : Promise.all(under).then(() => unit.start());
  }

  stopService(name: string): Promise<void> {
    return this.#unit(name).stop();
  }

  serviceState(name: string): ServiceState | 'unknown' {
    return (this.#timers.get(name) ?? this.#units.get(name))?.state ?? 'unknown';
  }

  lastEndOf(name: string): ProcessEnd | undefined {
    return this.#units.get(name)?.lastEnd;
  }

  resultOf(name: string): string {
    return this.#units.get(name)?.result ?? 'success';
  }

  notifyReady({ unit = '' }: MachineProcess): void {
    this.#units.get(unit)?.ready();
  }

  #unit(name: string): ServiceUnit | TimerUnit {
    const unit = this.#timers.get(name) ?? this.#units.get(name);
    if (unit === undefined) throw new Error(`Unit ${name} not found.`);
    return unit;
  }

  #unitHost(name: string) {
    const machine = this;
    return {
      get clock() {
        return machine.clock;
      },
      random: this.random.fork(name),
      start: (unit: string) => void this.startService(unit),
      spawn: (service: ServiceDefinition, program: Program, main: boolean) =>
        this.launch(service.name, program, { ...service, unit: service.name, main }),
      moved: (unit: ServiceUnit, from: ServiceState, result: string) => {
        this.#record('transition', `${from} -> ${unit.state}`, { unit: name, result });
        for (const timer of this.#timers.values()) if (timer.definition.unit === name) timer.unitMoved();
      },
    };
  }

  logOf(name: string): readonly string[] {
    return this.#logs.of(name);
  }

  logAfter(name: string, count: number): { readonly lines: readonly LogLine[]; readonly count: number } {
    return this.#logs.after(name, count);
  }

  // ---- Commands and cron -------------------------------------------------------------------------------------------

  defineCommand(name: string, program: Program): void {
    this.#commands.set(name, program);
  }

  commandOf(name: string): Program | undefined {
    return this.#commands.get(name);
  }

  lock(path: string, process: MachineProcess): MachineProcess {
    const holder = this.#locks.get(path);
    if (holder?.alive === true) return holder;
    this.#locks.set(path, process);
    return process;
  }

  runCommand(commandLine: string, options: SpawnOptions = {}): Promise<CommandResult> {
    return this.commandRun(options).run(commandLine);
  }

  /** A command run that can be called off. */
  commandRun(options: SpawnOptions & { readonly parent?: MachineProcess } = {}): RunningCommand {
    const bootedAs = this.bootCount;
    const up = () =>
      this.state !== 'off' && this.state !== 'crashed' && this.state !== 'gone' && this.bootCount === bootedAs;
    if (this.#shell !== undefined) return runByShell(this.#shell, up);
    const host: CommandHost = {
      program: (name) => this.commandOf(name),
      spawn: (name, program, given, output) => this.launch(name, program, { ...options, ...given }, output),
      up,
    };
    return new CommandRun(host, options);
  }

  replaceShell(shell: Shell): void {
    this.#shell = shell;
  }

  addCron(name: string, periodMs: number, commandLine: string, env: Readonly<Record<string, string>> = {}): void {
    this.#cron.add(name, periodMs, () => {
      const { SHELL = '/bin/sh' } = env;
      if (SHELL === '/bin/sh' || this.files.has(SHELL)) void this.runCommand(commandLine, { env });
    });
  }

  removeCron(name: string): void {
    this.#cron.remove(name);
  }

  // ---- The remote-command agent ------------------------------------------------------------------------------------

  /** Starts it if the machine has it: by its image, or since it was installed. */
  bootAgent(start: () => void, fromImage: boolean): void {
    this.agent = undefined;
    this.#startAgent = start;
    this.#hasAgent ||= fromImage;
    if (this.#hasAgent) start();
  }

  installRemoteAgent(): void {
    if (this.#hasAgent) return;
    this.#hasAgent = true;
    this.#startAgent();
  }

  /** Remote commands stay pending from now on. */
  killAgent(): void {
    this.agent?.kill('killed');
  }

  // ---- Metadata ----------------------------------------------------------------------------------------------------

  denyMetadataFor(user: string): void {
    this.#metadataDenied.add(user);
  }

  cutOff(user: string, what: boolean | 'new-connections'): void {
    if (what === false) this.#cutOff.delete(user);
    else this.#cutOff.set(user, what);
  }

  isCutOff(user: string): boolean {
    return this.#cutOff.get(user) === true;
  }

  mayConnect(user: string): boolean {
    return !this.#cutOff.has(user);
  }

  metadataDeniedFor(user: string): boolean {
    return this.#metadataDenied.has(user);
  }

  #newClock(): FreezableClock {
    return new FreezableClock(this.#engine.clock, (error) => {
      throw error;
    });
  }

  #record(kind: 'transition' | 'note', name: string, detail?: Readonly<Record<string, unknown>>): void {
    const subject = this.instance.id;
    this.#engine.journal.record({ kind, source: 'machine', name, subject, ...(detail && { detail }) });
  }
}

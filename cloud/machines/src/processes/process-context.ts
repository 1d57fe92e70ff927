import type { HttpHandler } from '@drover/cloud-engine';
import { never } from '@drover/cloud-engine';
import type { MachineView, ProcessContext, ProcessView, Program, SignalName, SpawnOptions } from '../program.ts';
import { parseCommandLine } from './command-line.ts';
import type { MachineProcess } from './process.ts';
import type { OutputSink, RunningCommand } from './run-command.ts';

/** The machine that a process runs on. */
export interface ProcessHost extends MachineView {
  processes(): readonly MachineProcess[];
  launch(
    name: string,
    program: Program,
    options?: SpawnOptions & { readonly parent?: MachineProcess },
    output?: OutputSink,
  ): MachineProcess;
  notifyReady(process: MachineProcess): void;
  commandOf(name: string): Program | undefined;
  /** The process that has the lock of a file: this one, if none had it. */
  lock(path: string, process: MachineProcess): MachineProcess;
  /** A command run that can be called off. */
  commandRun(options?: SpawnOptions & { readonly parent?: MachineProcess }): RunningCommand;
}

/** Thrown in a dead process that goes on acting. */
class ProcessEnded extends Error {}

/** The world as a program sees it. Every way out of it is closed once the process has ended. */
export function processContext(
  machine: ProcessHost,
  process: MachineProcess,
  http: HttpHandler,
  output: OutputSink | undefined,
): ProcessContext {
  const write = (stream: 'stdout' | 'stderr', text: string) => {
    if (!process.alive) return;
    if (output !== undefined) return void output(stream, text);
    for (const line of text.replace(/\n$/, '').split('\n')) process.log(line);
  };
  const seen = machineSeenBy(machine, process);
  const contextOf = (argv: readonly string[]): ProcessContext => ({
    pid: process.pid,
    name: process.name,
    user: process.user,
    argv,
    env: process.env,
    stdin: process.stdin,
    machine: seen,
    clock: process.clock,
    random: process.random,
    http,
    // Few programs look at it.
    get signal() {
      return process.abortSignal;
    },
    onSignal: (signal, act) => process.onSignal(signal, act),
    notifyReady: () => machine.notifyReady(process),
    onHibernation: (acts) => process.onHibernation(acts),
    log: (line, tag) => process.log(line, tag),
    stdout: (text) => write('stdout', text),
    stderr: (text) => write('stderr', text),
    exec: async (commandLine) => {
      const [step] = parseCommandLine(commandLine);
      const program = machine.commandOf(step!.words[0]!);
      return program === undefined ? 127 : await program(contextOf(step!.words));
    },
    lock: (path) => {
      requireAlive(process);
      const holder = machine.lock(path, process);
      return holder === process ? undefined : new SeenProcess(process, holder);
    },
    spawn: (name, program, options) => {
      requireAlive(process);
      return new SeenProcess(process, machine.launch(name, program, { ...options, parent: process }, output));
    },
  });
  return contextOf(process.argv);
}

function requireAlive(process: MachineProcess): void {
  if (!process.alive) throw new ProcessEnded(`process ${process.pid} (${process.name}) has ended`);
}

/** Another process, whose end this one learns only while it lives itself. Agents look at all of them all the time. */
class SeenProcess implements ProcessView {
  readonly pid: number;
  readonly name: string;
  readonly user: string;
  readonly argv: readonly string[];
  readonly startedAt: number;
  readonly unit: string | undefined;
  readonly #by: MachineProcess;
  readonly #other: MachineProcess;

  constructor(by: MachineProcess, other: MachineProcess) {
    this.#by = by;
    this.#other = other;
    this.pid = other.pid;
    this.name = other.name;
    this.user = other.user;
    this.argv = other.argv;
    this.startedAt = other.startedAt;
    this.unit = other.unit;
  }

  get parent(): ProcessView | undefined {
    return this.#other.parent === undefined ? undefined : new SeenProcess(this.#by, this.#other.parent);
  }

  get exitCode(): number | undefined {
    return this.#other.exitCode;
  }

  get ended(): Promise<number> {
    return this.#by.guard(this.#other.ended);
  }

  signal(signal: SignalName): void {
    requireAlive(this.#by);
    this.#other.signal(signal);
  }
}

function machineSeenBy(machine: ProcessHost, process: MachineProcess): MachineView {
  const act = <Args extends unknown[], Result>(method: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      requireAlive(process);
      return method.apply(machine, args);
    };
  };
  return {
    instance: machine.instance,
    hostName: machine.hostName,
    files: machine.files,
    fifos: machine.fifos,
    mounts: machine.mounts,
    disk: machine.disk,
    get bootCount() {
      return machine.bootCount;
    },
    powerOff: act(machine.powerOff),
    processes: () => machine.processes().map((other) => new SeenProcess(process, other)),
    serviceState: (name) => machine.serviceState(name),
    lastEndOf: (name) => machine.lastEndOf(name),
    resultOf: (name) => machine.resultOf(name),
    logOf: (name) => machine.logOf(name),
    logAfter: (name, count) => machine.logAfter(name, count),
    defineService: act(machine.defineService),
    defineTimer: act(machine.defineTimer),
    startService: (name) => (process.alive ? process.guard(machine.startService(name)) : never),
    stopService: (name) => (process.alive ? process.guard(machine.stopService(name)) : never),
    defineCommand: act(machine.defineCommand),
    runCommand: (commandLine, options) =>
      process.alive ? process.guard(machine.commandRun({ ...options, parent: process }).run(commandLine)) : never,
    replaceShell: act(machine.replaceShell),
    addCron: act(machine.addCron),
    installRemoteAgent: act(machine.installRemoteAgent),
    removeCron: act(machine.removeCron),
    denyMetadataFor: act(machine.denyMetadataFor),
    cutOff: act(machine.cutOff),
    isCutOff: (user) => machine.isCutOff(user),
    mayConnect: (user) => machine.mayConnect(user),
  };
}

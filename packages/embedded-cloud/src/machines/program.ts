import type { Clock, Random } from '@drover/core';
import type { Ec2Instance } from '../aws/siblings.ts';
import type { HttpHandler } from '../engine/http.ts';

/** Signals that a process may handle. SIGKILL cannot be handled. */
export type SignalName = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL';

/** A program on a machine. It ends with an exit code; when its process is killed its promises never settle again. */
export type Program = (context: ProcessContext) => Promise<number>;

/** What a program sees of its machine. */
export interface ProcessContext {
  readonly pid: number;
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly machine: MachineView;
  /** Stops when the process dies; freezes while the machine is hibernated, then `now()` has jumped. */
  readonly clock: Clock;
  readonly random: Random;
  /** The machine's network: metadata service, AWS, code host, … A call of a dead process never settles. */
  readonly http: HttpHandler;
  /** Aborted when the process is killed. */
  readonly signal: AbortSignal;
  /** Without a handler SIGTERM, SIGINT and SIGHUP end the process. */
  onSignal(signal: Exclude<SignalName, 'SIGKILL'>, act: () => void): void;
  /** A line into the journal of the unit, or the process's own log. */
  log(line: string): void;
  /** Starts a child process. */
  spawn(name: string, program: Program, options?: SpawnOptions): ProcessView;
}

export interface SpawnOptions {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Owner of the process. @default root */
  readonly user?: string;
}

export interface ProcessView {
  readonly pid: number;
  readonly name: string;
  readonly user: string;
  readonly argv: readonly string[];
  readonly startedAt: number;
  /** Undefined while it runs; 128 + signal number when it was killed. */
  readonly exitCode: number | undefined;
  signal(signal: SignalName): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
}

/** A service unit as systemd knows it. */
export interface ServiceDefinition {
  readonly name: string;
  readonly program: Program;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  /** @default no */
  readonly restart?: 'no' | 'on-failure' | 'always';
  readonly restartDelayMs?: number;
  /** Signal of `stop`. @default SIGTERM */
  readonly stopSignal?: Exclude<SignalName, 'SIGKILL'>;
  /** After this, SIGKILL. @default 90 s */
  readonly stopTimeoutMs?: number;
}

/** A machine as programs and simulations see it. */
export interface MachineView {
  readonly instance: Ec2Instance;
  readonly hostName: string;
  /** Files that programs read and write; paths are absolute. */
  readonly files: Map<string, string>;
  processes(): readonly ProcessView[];
  defineService(definition: ServiceDefinition): void;
  startService(name: string): void;
  /** Resolves when every process of the unit is gone. */
  stopService(name: string): Promise<void>;
  serviceState(name: string): 'active' | 'inactive' | 'failed' | 'unknown';
  /** Lines that a unit or program has logged. */
  logOf(name: string): readonly string[];
  /** What runs when a remote command or another program executes a command line on this machine. */
  defineCommand(name: string, program: Program): void;
  /** Runs a command line as a shell would: the first word names a defined command. */
  runCommand(
    commandLine: string,
    options?: SpawnOptions,
  ): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  /** Every period, as cron does; skipped while the machine is down. */
  addCron(name: string, periodMs: number, commandLine: string): void;
}

/** What an image does when a machine with it boots. Called once per boot, not after hibernation. */
export type BootProgram = Program;

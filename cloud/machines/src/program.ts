import type { HttpHandler } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { Instance } from './account.ts';
import type { LogLine } from './log-book.ts';

/** Signals that a process may handle. SIGKILL cannot be handled. */
export type SignalName = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL';

/** A program on a machine. It ends with an exit code; when its process is killed its promises never settle again. */
export type Program = (context: ProcessContext) => Promise<number>;

/** The machine as a program sees it. */
export interface ProcessContext {
  readonly pid: number;
  readonly name: string;
  readonly user: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** All that it can read from its standard input. */
  readonly stdin: string;
  readonly machine: MachineView;
  /** Stops when the process dies; freezes while the machine is hibernated, then `now()` has jumped. */
  readonly clock: Clock;
  readonly random: Random;
  /** The machine's network: metadata service, AWS, code host, … A call of a dead process never settles. */
  readonly http: HttpHandler;
  /** Aborted when the process has ended: for what outside the world must be let go, e.g. a real child process. */
  readonly signal: AbortSignal;
  /** Without a handler SIGTERM, SIGINT and SIGHUP end the process. */
  onSignal(signal: Exclude<SignalName, 'SIGKILL'>, act: () => void): void;
  /** A line into the journal of the unit, or the process's own log, under any name that it likes. */
  log(line: string, tag?: string): void;
  /** Output of a command: what `runCommand` returns; in a service it goes to the unit's log. */
  stdout(text: string): void;
  stderr(text: string): void;
  /** sd_notify(3), `READY=1`: the start of a service of type `notify` is complete. */
  notifyReady(): void;
  /** Called when the machine is hibernated and when it wakes: for what outside the world must stand still meanwhile. */
  onHibernation(acts: Hibernation): void;
  /** execve(2): goes on as a command that is defined on this machine, in the same process; 127 when there is none. */
  exec(commandLine: string): Promise<number>;
  /**
   * flock(2), LOCK_EX: takes the lock of a file until this process ends, or returns the one that has it. A child does not
   * inherit it.
   */
  lock(path: string): ProcessView | undefined;
  /** Starts a child process. It outlives its parent unless the whole unit is killed. */
  spawn(name: string, program: Program, options?: SpawnOptions): ProcessView;
}

/** The effect of hibernation on a process that has a part outside the world. */
export interface Hibernation {
  freeze(): void;
  thaw(): void;
}

/** Runs a script as a machine's shell does. `cancelled` is aborted when no caller waits for it any more. */
export type Shell = (script: string, cancelled: AbortSignal) => Promise<CommandResult>;

export interface SpawnOptions {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** @default nothing */
  readonly stdin?: string;
  /** Owner of the process. @default that of the parent; root */
  readonly user?: string;
  /** Runs in a container: one network hop more to the metadata service. @default as the parent */
  readonly container?: boolean;
}

export interface ProcessView {
  readonly pid: number;
  readonly name: string;
  readonly user: string;
  readonly argv: readonly string[];
  readonly startedAt: number;
  /** The unit whose control group it is in. */
  readonly unit: string | undefined;
  readonly parent: ProcessView | undefined;
  /** Undefined while it runs; 128 + signal number when it was killed. */
  readonly exitCode: number | undefined;
  signal(signal: SignalName): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
}

/** `activating`: its start is under way, or it waits for its restart. `deactivating`: is being stopped. */
export type ServiceState = 'active' | 'activating' | 'deactivating' | 'inactive' | 'failed';

/** The end of a process. */
export interface ProcessEnd {
  /** 128 + signal number when it was killed. */
  readonly exitCode: number;
  readonly signal: SignalName | undefined;
}

/** Room for files. Programs look at it; what they write is not counted. */
export interface Disk {
  freeBytes: number;
}

/** A service unit as systemd knows it. */
export interface ServiceDefinition {
  readonly name: string;
  readonly program: Program;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly container?: boolean;
  /**
   * When its start is complete: `simple` at once, `oneshot` when its process has ended with success, `notify` when it says so.
   * @default simple
   */
  readonly type?: 'simple' | 'oneshot' | 'notify';
  /** A `oneshot` is active from its success on. @default false */
  readonly remainAfterExit?: boolean;
  /** A start that it forbids does nothing and is no failure: systemd.unit(5), conditions. @default always */
  readonly mayStart?: () => boolean;
  /** Services for whose start it waits when that is under way: systemd.unit(5), After=. */
  readonly after?: readonly string[];
  /** ExecStartPre=: the service does not start when it fails. */
  readonly startPre?: Program;
  /** ExecStartPost=: the service ends when it fails. */
  readonly startPost?: Program;
  /** ExecStopPost=: after each end, also that of a start that failed. */
  readonly stopPost?: Program;
  /** A start that takes longer has failed; 0 is for ever. @default 90 s, of a oneshot for ever */
  readonly startTimeoutMs?: number;
  /** No more than five starts within this time; 0 is any number: systemd.unit(5), StartLimitIntervalSec=. @default 10 s */
  readonly startLimitMs?: number;
  /** @default no */
  readonly restart?: 'no' | 'on-failure' | 'always';
  /** @default 100 ms */
  readonly restartDelayMs?: number;
  /** Exit codes after which it is not started again: systemd.service(5), RestartPreventExitStatus=. */
  readonly restartPreventExitStatus?: readonly number[];
  /** Exit codes that count as a clean end, beside 0: systemd.service(5), SuccessExitStatus=. */
  readonly successExitStatus?: readonly number[];
  /** Signal of `stop`. @default SIGTERM */
  readonly stopSignal?: Exclude<SignalName, 'SIGKILL'>;
  /** After this, SIGKILL; 0 is never. @default 90 s */
  readonly stopTimeoutMs?: number;
  /**
   * The processes that are signalled. `control-group`: every process of the unit. `mixed`: the main process, and
   * SIGKILL for the rest when it is gone. `process`: the main process only; the rest lives on. @default control-group
   */
  readonly killMode?: 'control-group' | 'mixed' | 'process';
}

/** A timer unit as systemd.timer(5) describes it: it starts another unit. */
export interface TimerDefinition {
  /** With `.timer` at its end. */
  readonly name: string;
  /** Name of the service that it starts. */
  readonly unit: string;
  /** Once, after the start of the timer. */
  readonly onActiveMs?: number | undefined;
  /** After the last start of the service. */
  readonly onUnitActiveMs?: number | undefined;
  /** After the last end of the service. */
  readonly onUnitInactiveMs?: number | undefined;
  /** RandomizedDelaySec= */
  readonly spreadMs?: number | undefined;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine as programs and simulations see it. */
export interface MachineView {
  readonly instance: Instance;
  readonly hostName: string;
  /** How often it has booted: 1 is the boot that runs user data for the first time. */
  readonly bootCount: number;
  /** Files that programs read and write; paths are absolute. They survive a stop. */
  readonly files: Map<string, string>;
  /** Paths at which there is a FIFO: a process that opens one without O_NONBLOCK waits for the other end (fifo(7)). */
  readonly fifos: Set<string>;
  /** Folders on which another file system is mounted. */
  readonly mounts: Set<string>;
  /** `systemctl poweroff`: EC2 stops the instance, or terminates it if it was launched so. */
  powerOff(): void;
  /** Those that run, oldest first. */
  processes(): readonly ProcessView[];
  /** Defines a unit, or changes it from its next start on. */
  defineService(definition: ServiceDefinition): void;
  /** Defines a timer, or changes it from its next start on. It is started and stopped as a service is, by its name. */
  defineTimer(definition: TimerDefinition): void;
  /** Resolves when its start is over, with whether it succeeded; as `systemctl start` does. */
  startService(name: string): Promise<boolean>;
  /** Resolves when every process of the unit is gone (its main process with kill mode `process`). */
  stopService(name: string): Promise<void>;
  serviceState(name: string): ServiceState | 'unknown';
  /** How the main process of a unit ended; undefined while it runs and before its first start. */
  lastEndOf(name: string): ProcessEnd | undefined;
  /** systemd's word for what became of a unit since its last start: `success`, `exit-code`, `signal`, `timeout`, … */
  resultOf(name: string): string;
  /** Its one file system. */
  readonly disk: Disk;
  /** Lines that a unit or program has logged, the newest thousand. */
  logOf(name: string): readonly string[];
  /** Those after the first `count` lines, as far as they are kept, with their times; and how many there are by now. */
  logAfter(name: string, count: number): { readonly lines: readonly LogLine[]; readonly count: number };
  /** Defines the program that runs when a remote command or another program executes a command line on this machine. */
  defineCommand(name: string, program: Program): void;
  /** Runs command lines as a shell would: words with quotes, variables before a command, `&&`, `||`, `;`. The first word names a defined command. */
  runCommand(commandLine: string, options?: SpawnOptions): Promise<CommandResult>;
  /** Command lines are run by this from now on, until the next boot: a real shell takes any script. */
  replaceShell(shell: Shell): void;
  /**
   * At every multiple of the period on the wall clock, as cron does; skipped while the machine is down. The command has this environment
   * and no more; without a file at its `SHELL`, nothing runs.
   */
  addCron(name: string, periodMs: number, commandLine: string, env?: Readonly<Record<string, string>>): void;
  removeCron(name: string): void;
  /** The package of the remote-command agent: it runs from now on, and after each boot. Nothing where the image has it already. */
  installRemoteAgent(): void;
  /** A firewall rule: processes of this user get no response from the metadata service. */
  denyMetadataFor(user: string): void;
  /**
   * A firewall rule: nothing leaves the machine for processes of this user, or they open no new connection. The runner's
   * listener keeps to it.
   */
  cutOff(user: string, what: boolean | 'new-connections'): void;
  /** Nothing leaves the machine for processes of this user. */
  isCutOff(user: string): boolean;
  /** Processes of this user can open connections. */
  mayConnect(user: string): boolean;
}

/** The program of an image at the boot of its machine. Called once per boot, not after hibernation. */
export type BootProgram = Program;

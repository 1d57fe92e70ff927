import type { Secret } from '@drover/core';
import type { ListenerEnd } from '@drover/runner-fleet';

/** A service unit as `systemctl show` describes it. */
export interface UnitStatus {
  /** `active`, `activating`, `deactivating`, `inactive`, `failed`, … */
  readonly activeState: string;
  /** `success`, `exit-code`, `signal`, … */
  readonly result: string;
  /**
   * How its main process ended; undefined while it runs and before its first start, and perhaps after an end with code 0: systemd
   * forgets a unit that is inactive and that nothing refers to.
   */
  readonly lastEnd: ListenerEnd | undefined;
  /** Its main process while that runs. */
  readonly mainPid?: number | undefined;
}

export interface KernelProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly user: string;
  readonly argv: readonly string[];
  /** The service unit whose control group it is in, without `.service`. */
  readonly unit: string | undefined;
}

export interface KernelFile {
  readonly name: string;
  readonly changedAt: number;
}

/** A command that the agent runs. Its environment goes in by standard input, never by an argument that `ps` would show. */
export interface KernelCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** @default the agent's own */
  readonly user?: string;
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, Secret>>;
  readonly timeoutMs: number;
}

export interface CommandOutput {
  /** 127 when there is no such command, 137 when it took too long. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Lines appended to a file: whole ones, and the offset of the next. */
export interface AppendedLines {
  readonly lines: readonly string[];
  readonly offset: number;
  /** Bytes that were left out because too much was appended. */
  readonly skippedBytes: number;
}

/** A line in the journal of a unit. */
export interface JournalLine {
  readonly at: number;
  /** Without `.service`. */
  readonly unit: string;
  /** The identifier that its writer chose (`SYSLOG_IDENTIFIER`). */
  readonly tag: string | undefined;
  /** A process of root wrote it. This and `main` are known to the system; no writer can choose them. */
  readonly root: boolean;
  /** The main process of the unit wrote it, the one that the system started. */
  readonly main: boolean;
  readonly text: string;
}

export interface JournalPage {
  readonly lines: readonly JournalLine[];
  /** The start of the next page. */
  readonly cursor: string | undefined;
  /** There were more lines; the oldest are left out. */
  readonly full: boolean;
}

/**
 * The operating system of a runner instance: all that a simulation replaces. What the agent makes of it is `runnerHost`, the
 * same code on Linux and on a simulated machine; `runHostContract` holds both to the same behaviour.
 */
export interface Kernel {
  unit(name: string): UnitStatus;
  startUnit(name: string): Promise<void>;
  /** Sends the unit's stop signal once and resolves when its main process is gone. */
  stopUnit(name: string): Promise<void>;
  /** Processes whose first argument is a path that ends in `/<program>`. */
  processesOf(program: string): readonly KernelProcess[];
  /** Every process of a user. */
  processesOfUser(user: string): readonly KernelProcess[];
  /** SIGKILL; nothing happens when the process is gone, or another user's. */
  kill(pid: number): void;
  /** Undefined when there is no such file; a link, a FIFO, a device and an endless file are none. */
  readFile(path: string): string | undefined;
  /**
   * Lines appended to a log file after `offset`; the file is read from its beginning when it is shorter. Nothing if it
   * does not exist.
   */
  readAppended(path: string, offset: number): AppendedLines;
  /** Lines that these units have written to the journal after `cursor`, the oldest line first. */
  journal(units: readonly string[], cursor: string | undefined): Promise<JournalPage>;
  /** The newest lines that the main process of a unit, as it runs now, has written; however much others write into the same journal. */
  mainJournal(unit: string): Promise<readonly JournalLine[]>;
  /**
   * Creates the folders above it, too. Only its owner can read it: the agent's user, or `owner`, for whom the file is
   * recreated, so that no link of that user is followed. With another mode others can read it, too.
   */
  writeFile(path: string, text: string, owner?: string, mode?: number): void;
  /** A file, or a folder with all that is in it; nothing happens when it does not exist. */
  remove(path: string): void;
  /** The contents of a folder; empty when it does not exist. */
  list(folder: string): readonly KernelFile[];
  /** Free bytes for ordinary users on the file system that holds the path. */
  freeBytes(path: string): number;
  /** Loads a script for `nft`: all of it, or nothing and an error. */
  loadFirewall(script: string): Promise<void>;
  run(command: KernelCommand): Promise<CommandOutput>;
  /** Resolves as soon as `changed`, at a hint, or after `mostMs`. */
  pause(mostMs: number, changed: () => boolean, lookEveryMs?: number): Promise<void>;
}

import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, TransientError } from '@drover/core';
import type { Hints } from './hints.ts';
import type { CommandOutput, Kernel, KernelCommand, KernelProcess, UnitStatus } from './kernel.ts';
import { LinuxJournal } from './linux-journal.ts';
import { readAppended } from './linux-logs.ts';
import { readRegularFile } from './regular-file.ts';

/** How often the process table is read: a job starts and ends no faster than this matters. */
const lookEveryMs = 1_000;
const systemctlTimeoutMs = 10_000;
const nftTimeoutMs = 30_000;
const bootIdFile = '/proc/sys/kernel/random/boot_id';
/** Above the unit's own TimeoutStopSec=. */
const unitTimeoutMs = 6 * 60_000;

/** Linux with systemd and nftables. */
export function linuxKernel(clock: Clock, hints: Pick<Hints, 'wait'>): Kernel {
  const journal = new LinuxJournal((command) => execute(clock, command), readFile(bootIdFile) ?? '');
  return {
    unit: (name) => unitStatus(name, journal),
    startUnit: (name) => succeed(clock, { file: 'systemctl', args: ['start', name], timeoutMs: unitTimeoutMs }),
    stopUnit: (name) => succeed(clock, { file: 'systemctl', args: ['stop', name], timeoutMs: unitTimeoutMs }),
    processesOf: (program) => processesOf(program),
    processesOfUser: (user) => allProcesses().filter((each) => each.user === user),
    kill(pid) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It is gone.
      }
    },
    readFile,
    readAppended: (path, offset) =>
      unlessMissing(() => readAppended(path, offset), { lines: [], offset: 0, skippedBytes: 0 }),
    journal: (units, cursor) => journal.read(units, cursor),
    mainJournal: (unit) => journal.readMain(unit),
    writeFile(path, text, owner, mode = 0o600) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
      if (owner === undefined) return writeFileSync(path, text, { mode });
      rmSync(path, { recursive: true, force: true });
      // `wx` follows no link and takes no file that came back in between; the open file is given away, not its name.
      const file = openSync(path, 'wx', 0o600);
      try {
        writeSync(file, text);
        fchownSync(file, ...idsOf(owner));
      } finally {
        closeSync(file);
      }
    },
    remove: (path) => rmSync(path, { recursive: true, force: true }),
    list: (folder) => unlessMissing(() => readdirSync(folder), []).flatMap((name) => describe(folder, name)),
    freeBytes(path) {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    },
    loadFirewall: (script) => succeed(clock, { file: 'nft', args: ['--file', '-'], timeoutMs: nftTimeoutMs }, script),
    run: (command) => execute(clock, ...asUser(command)),
    async pause(mostMs, changed, everyMs = lookEveryMs) {
      const until = clock.now() + mostMs;
      // The lesser of both: a clock that is set back must not make the pause longer.
      for (let left = mostMs; left > 0; left = Math.min(left - everyMs, until - clock.now())) {
        await hints.wait(Math.min(everyMs, left));
        if (changed()) return;
      }
    },
  };
}

function unlessMissing<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|ESRCH)$/.test((error as NodeJS.ErrnoException).code ?? '')) return otherwise;
    throw error;
  }
}

const readFile = (path: string) => unlessMissing<string | undefined>(() => readRegularFile(path), undefined);

const describe = (folder: string, name: string) =>
  unlessMissing(() => [{ name, changedAt: lstatSync(join(folder, name)).mtimeMs }], []);

/** systemd.exec(5), wait(2): how `ExecMainCode` says that a process exited; any other value is a signal. */
const exited = '1';

function unitStatus(name: string, journal: Pick<LinuxJournal, 'note'>): UnitStatus {
  const main = ['ExecMainPID', 'ExecMainStartTimestampMonotonic'];
  const properties = ['ActiveState', 'Result', 'ExecMainCode', 'ExecMainStatus', ...main];
  const asked = spawnSync('systemctl', ['show', `--property=${properties.join(',')}`, name], {
    encoding: 'utf8',
    timeout: systemctlTimeoutMs,
  });
  const said = new Map(asked.stdout?.split('\n').map((line) => line.split('=', 2) as [string, string]));
  const activeState = said.get('ActiveState');
  if (activeState === undefined)
    throw new TransientError(`systemctl show ${name} failed: ${asked.stderr || asked.error?.message}`);
  // Each one is seen here, so that the journal knows whose lines were a main process's.
  journal.note(name, said.get('ExecMainPID'), said.get('ExecMainStartTimestampMonotonic'));
  const code = said.get('ExecMainCode') ?? '0';
  const status = Number(said.get('ExecMainStatus') ?? 0);
  const lastEnd = code === '0' ? undefined : { by: code === exited ? ('exit' as const) : ('signal' as const), status };
  const mainPid = code === '0' ? Number(said.get('ExecMainPID') ?? 0) : 0;
  return { activeState, result: said.get('Result') ?? '', lastEnd, mainPid: mainPid === 0 ? undefined : mainPid };
}

/** The name is longer than what /proc/<pid>/comm keeps, so command lines are read; of those that match also the rest. */
export function processesOf(program: string, proc = '/proc', passwd = '/etc/passwd'): readonly KernelProcess[] {
  return readdirSync(proc)
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      const argv = commandLine(proc, pid);
      return argv[0]?.endsWith(`/${program}`) ? describeProcess(proc, passwd, pid, argv) : [];
    });
}

const allProcesses = (proc = '/proc') =>
  readdirSync(proc)
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => describeProcess(proc, '/etc/passwd', pid, commandLine(proc, pid)));

const commandLine = (proc: string, pid: string) =>
  (readFile(join(proc, pid, 'cmdline')) ?? '').split('\0').slice(0, -1);

/** User and group. */
function idsOf(user: string): [number, number] {
  const ids = new RegExp(`^${user}:[^:]*:(\\d+):(\\d+):`, 'm').exec(readFile('/etc/passwd') ?? '');
  if (ids === null) throw new TransientError(`/etc/passwd has no user ${user}`);
  return [Number(ids[1]), Number(ids[2])];
}

function describeProcess(proc: string, passwd: string, pid: string, argv: readonly string[]): KernelProcess[] {
  const status = readFile(join(proc, pid, 'status'));
  const groups = readFile(join(proc, pid, 'cgroup'));
  if (status === undefined || groups === undefined) return [];
  const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1] ?? '';
  const user = new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm').exec(readFile(passwd) ?? '')?.[1] ?? uid;
  const parentPid = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const unit = /\/([^/\n]+)\.service(?:\/|$)/m.exec(groups)?.[1];
  return [{ pid: Number(pid), parentPid, user, argv, unit }];
}

/** Takes its environment from standard input, a line each, and becomes the command. */
const environmentFromInput = 'while IFS= read -r line; do export "$line"; done; exec "$@"';

function asUser({ file, args, user, environment = {}, ...rest }: KernelCommand): [KernelCommand, string] {
  const input = Object.entries(environment).map(([name, value]) => `${name}=${value.reveal()}\n`);
  const inner = input.length === 0 ? [file, ...args] : ['bash', '-c', environmentFromInput, 'bash', file, ...args];
  const [program = '', ...programArgs] = user === undefined ? inner : ['runuser', '-u', user, '--', ...inner];
  return [{ file: program, args: programArgs, ...rest }, input.join('')];
}

async function succeed(clock: Clock, command: KernelCommand, input?: string): Promise<void> {
  const { exitCode, stderr } = await execute(clock, command, input);
  if (exitCode === 0) return;
  throw new TransientError(`${command.file} ${command.args.join(' ')} ended with ${exitCode}: ${stderr.trim()}`);
}

/** A command that takes too long is killed with all that it started. */
function execute(clock: Clock, { file, args, cwd, timeoutMs }: KernelCommand, input = ''): Promise<CommandOutput> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { ...(cwd === undefined ? {} : { cwd }), detached: true });
    const said = { stdout: [] as string[], stderr: [] as string[] };
    const timer = clock.after(timeoutMs, () => process.kill(-child.pid!, 'SIGKILL'));
    const end = (exitCode: number) => {
      timer.cancel();
      resolve({ exitCode, stdout: said.stdout.join(''), stderr: said.stderr.join('') });
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => said.stdout.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => said.stderr.push(text));
    child.stdin.on('error', () => {}).end(input);
    child.on('error', (error) => {
      said.stderr.push(error.message);
      end(127);
    });
    child.on('close', (code) => end(code ?? 137));
  });
}

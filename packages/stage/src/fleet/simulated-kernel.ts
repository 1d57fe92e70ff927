import type { ProcessContext, ProcessView, Program } from '@drover/cloud-machines';
import { TransientError } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import {
  type CommandOutput,
  drainOrderFile,
  type JournalPage,
  type Kernel,
  type KernelCommand,
  type KernelProcess,
  type UnitStatus,
} from '@drover/runner-agent';
import type { WakeSignal } from './wake-signals.ts';

/** A host in service still reports this often. */
const restMs = 300_000;

interface Surroundings {
  readonly signal: Pick<WakeSignal, 'wait'>;
  /** The commands that the agent can run, by the name of their file. */
  readonly commands: Readonly<Record<string, Program>>;
  /** There is nothing that the agent wants to change. @default never */
  readonly settled?: () => boolean;
}

/** A machine of the embedded cloud as the agent's operating system. */
export function simulatedKernel(context: ProcessContext, { signal, commands, settled }: Surroundings): Kernel {
  const { machine, clock } = context;
  // Every change wakes the agent, also one of a Worker, so a host in service need not poll every few seconds.
  const restful = () =>
    machine.serviceState(runnerService) === 'active' && !machine.files.has(drainOrderFile) && settled?.() === true;
  return {
    unit: (name) => unitStatus(context, name),
    startUnit: async (name) => {
      if (!(await machine.startService(name))) throw new TransientError(`systemctl start ${name} ended with 1`);
    },
    stopUnit: (name) => machine.stopService(name),
    processesOf: (program) =>
      machine
        .processes()
        .filter(({ argv }) => argv[0]?.endsWith(`/${program}`))
        .map(describeProcess),
    processesOfUser: (user) =>
      machine
        .processes()
        .filter((process) => process.user === user)
        .map(describeProcess),
    kill: (pid) =>
      machine
        .processes()
        .find((process) => process.pid === pid)
        ?.signal('SIGKILL'),
    readFile: (path) => regularFile(context, path),
    readAppended(path, offset) {
      const text = regularFile(context, path) ?? '';
      const from = text.length < offset ? 0 : offset;
      const end = text.lastIndexOf('\n') + 1;
      const lines = end <= from ? [] : text.slice(from, end - 1).split('\n');
      return { lines, offset: Math.max(from, end), skippedBytes: 0 };
    },
    journal: async (units, cursor) => journal(context, units, cursor),
    mainJournal: async (unit) => {
      const main = machine.processes().find((process) => process.unit === unit && process.parent === undefined);
      const { lines } = journal(context, [unit], undefined);
      return main === undefined ? [] : lines.filter((line) => line.main && line.at >= main.startedAt);
    },
    writeFile(path, text) {
      machine.fifos.delete(path);
      machine.files.set(path, text);
    },
    remove(path) {
      machine.fifos.delete(path);
      for (const file of machine.files.keys())
        if (file === path || file.startsWith(`${path}/`)) machine.files.delete(file);
    },
    list: (folder) => list(context, folder),
    freeBytes: () => machine.disk.freeBytes,
    loadFirewall: async (script) => loadFirewall(context, script),
    run: (command) => run(context, commands, command),
    pause: (mostMs) => signal.wait(clock, restful() ? Math.max(mostMs, restMs) : mostMs),
  };
}

/** A process that has lost its parent becomes the first process's. */
const describeProcess = ({ pid, parent, user, argv, unit }: ProcessView): KernelProcess => {
  const parentPid = parent === undefined || parent.exitCode !== undefined ? 1 : parent.pid;
  return { pid, parentPid, user, argv, unit };
};

/** As the Linux kernel of the agent opens it: what is no regular file is closed again. */
const regularFile = ({ machine }: ProcessContext, path: string): string | undefined =>
  machine.fifos.has(path) ? undefined : machine.files.get(path);

/** As systemd does it: a unit that ended with code 0 is forgotten. */
function unitStatus({ machine }: ProcessContext, name: string): UnitStatus {
  const state = machine.serviceState(name);
  const activeState = state === 'unknown' ? 'inactive' : state;
  const result = machine.resultOf(name);
  const { exitCode = 0, signal } = machine.lastEndOf(name) ?? {};
  const mainPid = machine.processes().find((process) => process.unit === name && process.parent === undefined)?.pid;
  if (exitCode === 0) return { activeState, result, lastEnd: undefined, mainPid };
  return signal === undefined
    ? { activeState, result, lastEnd: { by: 'exit', status: exitCode } }
    : { activeState, result, lastEnd: { by: 'signal', status: exitCode - 128 } };
}

/** A cursor is how many lines of each unit were read. */
function journal({ machine }: ProcessContext, units: readonly string[], cursor: string | undefined): JournalPage {
  const read = cursor?.split('/').map(Number) ?? [];
  const pages = units.map((unit, index) => ({ unit, ...machine.logAfter(unit, read[index] ?? 0) }));
  const lines = pages.flatMap(({ unit, lines }) =>
    lines.map(({ user, ...line }) => ({ ...line, unit, root: user === 'root' })),
  );
  return {
    lines: lines.sort((a, b) => a.at - b.at),
    cursor: pages.map(({ count }) => count).join('/'),
    full: false,
  };
}

/** Files have no times of their own on these machines. */
function list({ machine }: ProcessContext, folder: string) {
  const below = [...machine.files.keys()].filter((file) => file.startsWith(`${folder}/`));
  const names = new Set(below.map((file) => file.slice(folder.length + 1).split('/')[0]!));
  return [...names].map((name) => ({ name, changedAt: 0 }));
}

/** Reads a script for `nft` as far as the agent writes one: a table that goes, and rules for the packets of one user. */
function loadFirewall({ machine }: ProcessContext, script: string): void {
  const rules = [...script.matchAll(/meta skuid "([^"]+)" (.*)/g)].map(([, user = '', rule = '']) => ({ user, rule }));
  if (!/^table inet (\w+)\ndelete table inet \1\n/.test(script)) throw new Error('nft: No such file or directory');
  machine.cutOff(runnerService, false);
  for (const { user, rule } of rules) {
    if (rule.startsWith('tcp flags & (syn | ack) == syn')) machine.cutOff(user, 'new-connections');
    else if (rule === 'counter reject') machine.cutOff(user, true);
  }
}

/** The environment is set by the command itself, as the shell on Linux does it: the process is not started with it. */
async function run(
  context: ProcessContext,
  commands: Readonly<Record<string, Program>>,
  { file, args, user, environment = {}, timeoutMs }: KernelCommand,
): Promise<CommandOutput> {
  const name = file.replace(/^.*\//, '');
  const program = commands[name];
  if (program === undefined) return { exitCode: 127, stdout: '', stderr: `${file}: not found` };
  const said = { stdout: [] as string[], stderr: [] as string[] };
  const given = Object.entries(environment).map(([key, value]) => [key, value.reveal()]);
  const child = context.spawn(
    name,
    (inner) =>
      program({
        ...inner,
        env: { ...inner.env, ...Object.fromEntries(given) },
        stdout: (text) => void said.stdout.push(text),
        stderr: (text) => void said.stderr.push(text),
      }),
    { argv: [name, ...args], ...(user === undefined ? {} : { user }) },
  );
  const timer = context.clock.after(timeoutMs, () => child.signal('SIGKILL'));
  const exitCode = await child.ended;
  timer.cancel();
  return { exitCode, stdout: said.stdout.join(''), stderr: said.stderr.join('') };
}

import type { ClusterAws } from '@drover/adapters/aws';
import type { SearchNode } from '@drover/cloud-elasticsearch';
import type { MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import type { World } from '@drover/cloud-world';
import { type Io, main } from '@drover/cluster-cli';
import { Interrupted } from '@drover/cluster-cli/exit-codes';
import { facts as names, nextSoftware, softwareFile } from '@drover/core/names/search-cluster';
import { directCalls } from '../fleet/direct-calls.ts';
import { namesIn } from './data/data-folder.ts';
import { shownByElasticsearch } from './transport-tls.ts';

export interface CommandOptions {
  /** Stands between the command and the outside of one process. */
  readonly wrap?: (io: Io, context: ProcessContext) => Io;
  /** The command that a machine has, by the module version in its user data. @default that of this tree */
  readonly released?: (moduleVersion: string) => typeof main | undefined;
}

/** One run of the command that has ended. */
export interface EndedRun {
  readonly instanceId: string;
  readonly argv: readonly string[];
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Output {
  stdout: string;
  stderr: string;
}

const runVariable = 'SIMULATED_RUN';

/** Runs that have begun and not ended. */
export class LiveRuns {
  readonly #outputs = new Set<Output>();
  readonly #waiting = new Map<string, (ended: EndedRun) => void>();
  #begun = 0;

  /** Begins a command line; resolves when it has ended, also when its machine goes down at the same moment. */
  begin(machine: MachineView, commandLine: string): Promise<EndedRun> {
    const run = String(this.#begun++);
    const command = machine.runCommand(commandLine, { env: { [runVariable]: run } });
    return new Promise((resolve, reject) => {
      this.#waiting.set(run, resolve);
      command.catch(reject);
    });
  }

  started(): Output {
    const output = { stdout: '', stderr: '' };
    this.#outputs.add(output);
    return output;
  }

  ended(output: Output, ended: EndedRun, run: string | undefined): void {
    this.#outputs.delete(output);
    if (run === undefined) return;
    this.#waiting.get(run)?.(ended);
    this.#waiting.delete(run);
  }

  errors(): readonly string[] {
    return [...this.#outputs].map(({ stderr }) => stderr);
  }
}

/** The cluster around the command: its world, and where ended runs are kept. */
export interface CommandHost {
  readonly world: World;
  readonly options: CommandOptions;
  /** Search nodes by instance id. */
  readonly nodes: ReadonlyMap<string, SearchNode>;
  remember(run: EndedRun): void;
}

/** The real `cluster-cli` as a program of a machine: its files, its network, its role's rights, its lock. */
export function clusterCommand(host: CommandHost, live: LiveRuns, choose = versionOf): Program {
  const locks = new HostLocks();
  return async (context) => {
    const output = live.started();
    const io = plainIo(host, context, output, locks);
    const run = host.options.released?.(choose(context.machine)) ?? main;
    const exitCode = await run(context.argv.slice(1), host.options.wrap?.(io, context) ?? io);
    const ended = { instanceId: context.machine.instance.id, argv: context.argv, exitCode, ...output };
    host.remember(ended);
    live.ended(output, ended, context.env[runVariable]);
    context.stdout(output.stdout);
    context.stderr(output.stderr);
    return exitCode;
  };
}

/** The version of the programs: of the pointer that was taken, or of the user data before there was one. */
function versionOf({ files }: MachineView): string {
  const taken = files.get(softwareFile);
  if (taken !== undefined) return (JSON.parse(taken) as { version: string }).version;
  const { drover } = JSON.parse(files.get(names.files[0]) ?? '{}') as { drover?: { module_version?: string } };
  return drover?.module_version ?? '';
}

/** Of what was fetched to be taken. */
export const nextVersionOf = ({ files }: MachineView): string =>
  (JSON.parse(files.get(`${nextSoftware}/software.json.next`) ?? '{}') as { version?: string }).version ?? '';

function plainIo({ world, nodes }: CommandHost, context: ProcessContext, output: Output, locks: HostLocks): Io {
  const sink = (stream: keyof Output) => ({
    isTTY: false,
    write: (chunk: string | Uint8Array) => {
      output[stream] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    },
  });
  return {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    stdin: { isTTY: false, read: async () => '', ask: async () => '' },
    env: { ...context.env },
    clock: context.clock,
    random: context.random,
    files: {
      read: async (path) => context.machine.files.get(path),
      list: async (folder) => namesIn(folder, context.machine, nodes),
      write: async (path, text) => void context.machine.files.set(path, text),
    },
    exchange: (request) => context.http(request),
    aws: roleAws(world, context),
    lock: { acquire: async (name) => locks.acquire(context, name) },
    search: {
      stop: () => stopSearch(context.machine),
      start: async () => startSearch(context.machine),
    },
    usersTool: (words, stdin) => usersTool(context, words, stdin),
    handshake: async () => shownByElasticsearch(context),
    program: (path, words) => context.machine.runCommand([path, ...words].join(' ')),
    signal: interruptsOf(context),
  };
}

/** As the command's entry does: the first signal asks it to end. */
function interruptsOf(context: ProcessContext): AbortSignal {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    context.onSignal(signal, () => abort.abort(new Interrupted()));
  return abort.signal;
}

async function usersTool({ machine }: ProcessContext, words: readonly string[], stdin: string): Promise<void> {
  const { exitCode, stderr } = await machine.runCommand(`elasticsearch-users ${words.join(' ')}`, { stdin });
  if (exitCode !== 0) throw new Error(`elasticsearch-users ${words[0]} failed: ${stderr.trim()}`);
}

/**
 * `elasticsearch-users` of the package, with the exit codes and words of its `UsersTool`: changes the file realm of the machine's own
 * node. The real one takes a password as the argument `-p` too, where every user of the host can read it: this one does not.
 */
export const usersCommand =
  (nodeOf: (instanceId: string) => SearchNode): Program =>
  async ({ argv, stdin, machine, stderr }) => {
    const fail = (exitCode: number, why: string) => {
      stderr(`ERROR: ${why}, with exit code ${exitCode}\n`);
      return exitCode;
    };
    const [, action, username = '', option, role = '', ...rest] = argv;
    const { fileUsers } = nodeOf(machine.instance.id);
    if (action === 'userdel') return fileUsers.delete(username) ? 0 : fail(67, `User [${username}] doesn't exist`);
    if (action !== 'useradd' || option !== '-r' || rest.length > 0)
      return fail(64, `${argv.join(' ')} is not modelled`);
    const [password = '', again] = stdin.split('\n');
    if (password.length < 6) return fail(65, 'Invalid password...passwords must be at least [6] characters long');
    if (password !== again) return fail(65, 'Password mismatch');
    if (fileUsers.has(username)) return fail(70, `User [${username}] already exists`);
    fileUsers.set(username, { password, roles: [role] });
    return 0;
  };

/** Does nothing where the package is not installed. */
async function stopSearch(machine: MachineView): Promise<void> {
  if (machine.serviceState('elasticsearch') !== 'unknown') await machine.stopService('elasticsearch');
}

/** As `systemctl start` does: nothing while it runs. */
function startSearch(machine: MachineView): void {
  if (!['active', 'activating'].includes(machine.serviceState('elasticsearch'))) machine.startService('elasticsearch');
}

/** AWS with the rights of the instance's own role. */
function roleAws(world: World, context: ProcessContext): ClusterAws {
  const { id } = context.machine.instance;
  const process = { kill: () => killSelf(context) };
  return directCalls(world, () => ({ credentials: world.machines.credentialsOf(id)!, process }));
}

/** Ends the process as `kill -9` does. */
export function killSelf(context: ProcessContext): void {
  context.machine
    .processes()
    .find(({ pid }) => pid === context.pid)
    ?.signal('SIGKILL');
}

/** Locks as the kernel keeps them: free again when the process has died. */
class HostLocks {
  readonly #owners = new Map<string, number>();

  acquire(context: ProcessContext, name: string) {
    const key = `${context.machine.instance.id}/${name}`;
    const owner = this.#owners.get(key);
    const alive = context.machine.processes().some(({ pid, exitCode }) => pid === owner && exitCode === undefined);
    if (alive) return undefined;
    this.#owners.set(key, context.pid);
    return { release: async () => void this.#owners.delete(key) };
  }
}

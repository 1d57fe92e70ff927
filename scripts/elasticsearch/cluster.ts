import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { find, lastLines, NoServer, run, slower } from './commands.ts';
import type { Distribution } from './distribution.ts';
import { type ClusterPlan, copyKeystore, loopback, type NodePlan, quick, writeNodeFiles } from './node-files.ts';

/** Elasticsearch refuses to run as root. A number without an account is enough. */
const unprivilegedUser = 42_920;

/** From start to green; about a minute on two idle cores. */
const bootMs = 300_000;
const stopMs = 30_000;

/** A node beside its number. */
export type NodeShape = Pick<NodePlan, 'zone' | 'roles' | 'host' | 'security' | 'heap'>;

const threeZones: readonly NodeShape[] = ['a', 'b', 'c'].map((zone) => ({ zone }));

/** Nodes on loopback. */
export interface LocalCluster {
  /** Of the first node, with the credentials of the superuser. */
  readonly url: string;
  /** Where the nodes listen for HTTP, in their order. */
  readonly ports: readonly number[];
  /** The same as addresses. */
  readonly addresses: readonly string[];
  /** Starts the nodes and waits until the cluster is green. */
  boot(): Promise<void>;
  /** Stops all nodes and starts them again with their data; returns once they are on their way. */
  restart(): Promise<void>;
  /** Stops a node in order, by its number from 1 on. */
  stopOne(number: number): Promise<void>;
  /** Starts a stopped node with its data, with another version's programs where they are given; does nothing to one that runs. */
  startOne(number: number, distribution?: Distribution): Promise<void>;
  /** Runs a program of the distribution for a node: it sees the configuration of that node. */
  program(number: number, words: readonly string[], input: string): Promise<string>;
  /** Ends nodes, by their numbers from 1 on, without a warning. */
  kill(numbers: readonly number[]): Promise<void>;
  /** Starts a node that was killed as a new one without data, in any zone. */
  startEmpty(number: number, zone: string): Promise<void>;
  /** Stops what runs; also in the midst of booting. */
  stop(): Promise<void>;
  /** The last lines of every node's log. */
  logs(): string;
}

/** Chooses ports and a password; nothing runs yet. */
export async function localCluster(
  distribution: Distribution,
  folder: string,
  shapes: readonly NodeShape[] = threeZones,
): Promise<LocalCluster> {
  const plan = await planCluster(distribution, folder, shapes);
  return {
    url: addressOf(plan.nodes[0]!).replace('//', `//elastic:${plan.password}@`),
    addresses: plan.nodes.map(addressOf),
    ports: plan.nodes.map(({ httpPort }) => httpPort),
    boot: async () => {
      await prepare(plan, folder);
      await Promise.all(plan.nodes.map((node) => start(plan, node)));
      await waitForGreen(plan);
    },
    restart: async () => {
      await stopNodes(plan);
      // The first to start ends after the others have: nothing waits for that.
      for (const node of plan.nodes) void start(plan, node).catch((error: Error) => console.error(error.message));
    },
    stopOne: (number) => stopNodes(plan, [plan.nodes[number - 1]!]),
    startOne: async (number, distribution) => {
      const node = plan.nodes[number - 1]!;
      if (existsSync(pidFile(node))) return;
      if (distribution !== undefined) install(plan, node, distribution);
      await start(plan, node);
    },
    program: (number, words, input) => asUnprivilegedUser(plan, plan.nodes[number - 1]!, words, input),
    kill: (numbers) =>
      stopNodes(
        plan,
        numbers.map((number) => plan.nodes[number - 1]!),
        'SIGKILL',
      ),
    startEmpty: async (number, zone) => {
      const node = { ...plan.nodes[number - 1]!, zone };
      for (const name of ['data', 'config']) rmSync(join(node.folder, name), { recursive: true });
      writeNodeFiles(plan, node);
      copyKeystore(plan.nodes[0]!, node);
      giveToUnprivilegedUser(node.folder);
      await start(plan, node);
    },
    stop: () => stopNodes(plan),
    logs: () => logs(plan),
  };
}

async function planCluster(
  distribution: Distribution,
  folder: string,
  shapes: readonly NodeShape[],
): Promise<ClusterPlan> {
  const ports = await freePorts(2 * shapes.length);
  const nodes = shapes.map((shape, at) => ({
    name: `node-${at + 1}`,
    ...shape,
    folder: join(folder, `node-${at + 1}`),
    httpPort: ports[at]!,
    transportPort: ports[at + shapes.length]!,
  }));
  const installed = new Map(nodes.map(({ name }) => [name, distribution]));
  return { installed, nodes, repositories: join(folder, 'repositories'), password: randomBytes(12).toString('hex') };
}

/** All at once, so that no port is given twice. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

async function prepare(plan: ClusterPlan, folder: string): Promise<void> {
  mkdirSync(plan.repositories, { recursive: true });
  for (const node of plan.nodes) writeNodeFiles(plan, node);
  chmodSync(folder, 0o755);
  giveToUnprivilegedUser(folder);
  const [first, ...others] = plan.nodes as [NodePlan, ...NodePlan[]];
  await asUnprivilegedUser(
    plan,
    first,
    ['elasticsearch-keystore', 'add', '-f', '-x', 'bootstrap.password'],
    plan.password,
  );
  for (const node of others) copyKeystore(first, node);
  giveToUnprivilegedUser(folder);
}

/** As a package of another version: programs and files of the configuration are replaced, keystore and data stay. */
function install(plan: ClusterPlan, node: NodePlan, distribution: Distribution): void {
  if (plan.installed.get(node.name) === distribution) return;
  plan.installed.set(node.name, distribution);
  writeNodeFiles(plan, node);
  giveToUnprivilegedUser(node.folder);
}

/** The launcher ends when the node listens; the server goes on under the process id in the file. */
async function start(plan: ClusterPlan, node: NodePlan): Promise<void> {
  await asUnprivilegedUser(plan, node, ['elasticsearch', '-d', '-p', pidFile(node)]).catch((error: Error) => {
    throw new NoServer(`${node.name} did not start: ${error.message}`);
  });
}

const addressOf = ({ host, httpPort }: NodePlan) => `http://${host ?? loopback}:${httpPort}`;
const pidFile = (node: NodePlan) => join(node.folder, 'pid');

function asUnprivilegedUser(
  plan: ClusterPlan,
  node: NodePlan,
  [command, ...args]: readonly string[],
  input = '',
): Promise<string> {
  const { JAVA_HOME: _, ...inherited } = process.env;
  const { home, javaHome } = plan.installed.get(node.name)!;
  const env = {
    ...inherited,
    ...(javaHome === undefined ? {} : { ES_JAVA_HOME: javaHome }),
    ES_PATH_CONF: join(node.folder, 'config'),
    CLI_JAVA_OPTS: quick,
    ES_TMPDIR: join(node.folder, 'tmp'),
    HOME: node.folder,
  };
  const program = join(home, 'bin', command!);
  const options = { env, input, cwd: node.folder, limitMs: bootMs };
  if (!isRoot()) return run(program, args, options);
  if (find('setpriv') === undefined)
    throw new NoServer('Elasticsearch does not run as root, and there is no setpriv (util-linux) to change the user');
  const user = [`--reuid=${unprivilegedUser}`, `--regid=${unprivilegedUser}`, '--clear-groups', '--inh-caps=-all'];
  return run('setpriv', [...user, program, ...args], options);
}

const isRoot = () => process.getuid?.() === 0;

function giveToUnprivilegedUser(path: string): void {
  if (!isRoot()) return;
  chownSync(path, unprivilegedUser, unprivilegedUser);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) giveToUnprivilegedUser(inner);
    else chownSync(inner, unprivilegedUser, unprivilegedUser);
  }
}

async function waitForGreen(plan: ClusterPlan): Promise<void> {
  const wait = `wait_for_nodes=${plan.nodes.length}&wait_for_status=green&timeout=5s`;
  const authorization = `Basic ${Buffer.from(`elastic:${plan.password}`).toString('base64')}`;
  const url = `${addressOf(plan.nodes[0]!)}/_cluster/health?${wait}`;
  const deadline = performance.now() + bootMs * slower;
  while (performance.now() < deadline) {
    const answer = await fetch(url, { headers: { authorization } }).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(500);
  }
  throw new NoServer(`${plan.nodes.length} nodes were not green after ${(bootMs * slower) / 1000} s`);
}

/** Only ever signals the processes that the nodes wrote down when they were started here. */
async function stopNodes(
  plan: ClusterPlan,
  nodes: readonly NodePlan[] = plan.nodes,
  first: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  const pids = nodes.filter((node) => existsSync(pidFile(node))).map((node) => Number(readFileSync(pidFile(node))));
  for (const pid of pids) signal(pid, first);
  const deadline = performance.now() + stopMs;
  while (pids.some((pid) => signal(pid, 0)) && performance.now() < deadline) await sleep(200);
  for (const pid of pids) signal(pid, 'SIGKILL');
  for (const node of nodes) rmSync(pidFile(node), { force: true });
}

/** Whether there was such a process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function logs(plan: ClusterPlan): string {
  const log = (node: NodePlan) => join(node.folder, 'logs', 'held-against.log');
  const written = plan.nodes.filter((node) => existsSync(log(node)));
  return written.map((node) => `--- log of ${node.name}\n${lastLines(readFileSync(log(node), 'utf8'), 40)}`).join('\n');
}

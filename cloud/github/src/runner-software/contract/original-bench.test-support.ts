import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, serve } from '@drover/cloud-engine';
import { RealClock, ScaledClock } from '@drover/core';
import { CodeHost } from '../../code-host.ts';
import { anySkew, hasWorked, type Run, start, workersOf } from './linux-bench.test-support.ts';
import { type Build, fastBy, unpacked } from './original.test-support.ts';
import {
  away,
  type ListenerRequest,
  noting,
  type RunnerBench,
  type RunnerPlatform,
  type RunningListener,
  takeWireSession,
} from './runner-bench.test-support.ts';

/** `config.sh` loses the port of an address, so each bench has an address of its own, on port 80. */
let benches = 0;
const nextAddress = () => {
  benches += 1;
  return `127.${80 + (process.pid % 100)}.${benches >> 8}.${(benches & 255) + 1}`;
};

/** GitHub's own runner as processes of this machine, with a code host on loopback that it takes for an Enterprise Server. */
export function originalPlatform(build: Build): RunnerPlatform {
  const speed = build === 'fast' ? fastBy : 1;
  return {
    name: `a Linux machine, GitHub's own runner (${build})`,
    kind: 'original',
    speed,
    exact: false,
    everything: true,
    open: () => openOriginal(build),
  };
}

/** A bench that also shows the folder of the runner and the lines of its listener with their times. */
export interface OriginalBench extends RunnerBench {
  readonly root: string;
  /** Called before the response to a request leaves. */
  responding: (request: ListenerRequest) => void;
  /** How many requests went through the proxy. */
  proxied(): number;
  readonly said: readonly { readonly at: number; readonly text: string }[];
}

export interface OriginalOptions {
  /** The runner's user. @default that of this process */
  readonly uid?: number;
  /** GitHub has a name that only a proxy can find. @default false */
  readonly behindProxy?: boolean;
}

export async function openOriginal(
  build: Build,
  { uid, behindProxy = false }: OriginalOptions = {},
): Promise<OriginalBench> {
  const speed = build === 'fast' ? fastBy : 1;
  const clock = speed === 1 ? new RealClock() : new ScaledClock({ speed });
  const engine = createEngine({ clock });
  const address = nextAddress();
  const name = behindProxy ? 'github.example' : address;
  const apiUrl = `http://${name}/api/v3`;
  const host = new CodeHost(engine, { org: 'example-org', apiUrl, acquiresJobs: false, clockSkewMs: anySkew });
  const requests: ListenerRequest[] = [];
  const served = await serve(
    noting(host, engine, requests, (request) => bench.responding(request)),
    { host: address, port: 80 },
  );
  const root = mkdtempSync(join(tmpdir(), 'drover-original-'));
  execFileSync('cp', ['--archive', '--reflink=auto', `${unpacked(build)}/.`, root]);
  if (uid !== undefined) execFileSync('chown', ['--recursive', `${uid}:${uid}`, root]);
  const proxy = behindProxy ? await openProxy(address) : undefined;
  const runs: Run[] = [];
  const said: { at: number; text: string }[] = [];
  const begin = (command: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
    const own = {
      HOME: root,
      LANG: 'C.UTF-8',
      RUNNER_ALLOW_RUNASROOT: '1',
      DROVER_JOB_SPEED: String(speed),
      ...proxy?.env,
    };
    const run = start(join(root, command), args, { ...own, ...env }, root, uid);
    runs.push(run);
    return run;
  };
  const until = async (holds: () => boolean, mostMs: number) => {
    const real = new RealClock();
    const deadline = real.now() + mostMs / speed + 40_000;
    while (!holds()) {
      if (real.now() > deadline) throw new Error(`it did not happen in ${mostMs} ms: ${runs.map(({ text }) => text)}`);
      await real.sleep(20);
    }
  };
  const callsFile = join(root, 'hook-calls');
  const logs = join(root, '_diag');
  let mounted = false;
  const bench: OriginalBench = {
    root,
    said,
    responding() {},
    proxied: () => proxy?.requests() ?? 0,
    host,
    engine,
    address,
    url: `http://${name}/example-org`,
    async config(args, env = {}) {
      const run = begin('config.sh', args, env);
      await until(() => run.code !== undefined, 60_000 * speed);
      const refused = run.text.includes('Connection refused') ? refusals(address) : '';
      return { code: run.code!, output: run.text + refused };
    },
    listen({ args = [], env = {} } = {}): RunningListener {
      const run = begin('bin/Runner.Listener', ['run', ...args], env);
      run.child.stdout!.on('data', (text: Buffer) => {
        for (const line of text.toString('utf8').split('\n')) said.push({ at: clock.now(), text: line });
      });
      return { output: () => run.text, exitCode: () => run.code, signal: (signal) => void run.child.kill(signal) };
    },
    read: (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined),
    files: () => readdirSync(root, { recursive: true, encoding: 'utf8' }),
    write: (file, text) => writeFileSync(join(root, file), text),
    remove: (file) => rmSync(join(root, file), { recursive: true }),
    signalWorker(signal) {
      for (const pid of workersOf(root)) process.kill(pid, signal);
    },
    workers: () => workersOf(root).length,
    works: () => hasWorked(root),
    hook(name, behaves) {
      const script = join(root, `${name}.sh`);
      writeFileSync(
        script,
        `echo ${name} >> ${callsFile}\npwd > ${join(root, 'hook-folder')}\n${behaves === 'hangs' ? 'sleep 600' : `exit ${behaves}`}\n`,
      );
      return { [`ACTIONS_RUNNER_HOOK_JOB_${name}`]: script };
    },
    hookCalls: () => (existsSync(callsFile) ? readFileSync(callsFile, 'utf8').trim().split('\n') : []),
    fillDisk() {
      // A disk of its own for the logs, as small as they come.
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', logs]);
      mounted = true;
      writeFileSync(join(logs, 'full'), Buffer.alloc(4096));
    },
    requests: () => requests,
    takeSession: () => takeWireSession(host),
    async goAway(how) {
      if (how === 'refused') await served.close();
      else engine.faults.add({ service: 'platform', effect: away[how] });
    },
    pass: (ms) => clock.sleep(ms),
    until,
    async close() {
      for (const { child } of runs) child.kill('SIGKILL');
      for (const pid of workersOf(root)) process.kill(pid, 'SIGKILL');
      await served.close();
      await proxy?.close();
      if (mounted) execFileSync('umount', ['--lazy', logs]);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return bench;
}

/** Possible causes of a refused connection: rules of a firewall, or that no socket listens. */
function refusals(address: string): string {
  const { stdout } = spawnSync('nft', ['list', 'ruleset'], { encoding: 'utf8' });
  const sockets = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  // As /proc writes them: bytes in the order of this machine, and a socket that listens is in state 0A.
  const bytes = address.split('.').reverse();
  const local = `${bytes.map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, '0')).join('')}:0050`;
  const listens = sockets.some((line) => line.includes(` ${local} `) && / 0A /.test(line));
  return `\n${address}:80 ${listens ? 'listens' : 'does not listen'}; firewall: ${stdout || 'no rules'}`;
}

/** A proxy for plain HTTP that knows one address, whatever the name. */
async function openProxy(address: string) {
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    const { pathname, search } = new URL(incoming.url ?? '/', 'http://proxy');
    const { method, headers } = incoming;
    const onward = request({ host: address, port: 80, path: pathname + search, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(3128, address, resolve));
  return {
    env: { http_proxy: `http://${address}:3128` },
    requests: () => requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

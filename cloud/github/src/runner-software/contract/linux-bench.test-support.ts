import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, serve } from '@drover/cloud-engine';
import { RealClock, ScaledClock } from '@drover/core';
import { CodeHost } from '../../code-host.ts';
import { standInTarball } from '../linux/tarball.ts';
import {
  away,
  type ListenerRequest,
  noting,
  type RunnerBench,
  type RunnerPlatform,
  type RunningListener,
  takeWireSession,
} from './runner-bench.test-support.ts';

/** Clocks that run faster than real time drift apart. */
export const anySkew = Number.POSITIVE_INFINITY;
/** A minute is a second. */
const speed = 60;

export interface Run {
  readonly child: ChildProcess;
  text: string;
  code: number | undefined;
}

export function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  uid?: number,
): Run {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const run: Run = { child, text: '', code: undefined };
  const keep = (text: Buffer) => {
    run.text += text.toString('utf8');
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('exit', (code, signal) => {
    run.code = code ?? (signal === 'SIGKILL' ? 137 : 143);
  });
  return run;
}

/** The runner software as processes of this machine, unpacked from its tarball, with a code host on loopback. */
export const linuxPlatform: RunnerPlatform = {
  name: 'a Linux machine',
  kind: 'stand-in',
  speed,
  exact: false,
  everything: process.env.RUNNER_SOFTWARE_TESTS === 'all',
  async open(): Promise<RunnerBench> {
    const clock = new ScaledClock({ speed });
    const engine = createEngine({ clock });
    const host = new CodeHost(engine, { org: 'example-org', clockSkewMs: anySkew });
    const requests: ListenerRequest[] = [];
    const served = await serve(noting(host, engine, requests));
    const root = mkdtempSync(join(tmpdir(), 'drover-runner-'));
    const { name, bytes } = standInTarball({ node: process.execPath });
    writeFileSync(join(root, name), bytes);
    execFileSync('tar', ['--extract', '--gzip', '--file', join(root, name), '--directory', root]);
    const runs: Run[] = [];
    const environment = {
      RUNNER_STAND_IN_API: served.url,
      RUNNER_STAND_IN_SPEED: String(speed),
      DROVER_JOB_SPEED: String(speed),
      RUNNER_ALLOW_RUNASROOT: '1',
    };
    const begin = (command: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
      const run = start(join(root, command), args, { ...environment, ...env }, root);
      runs.push(run);
      return run;
    };
    const until = async (holds: () => boolean, mostMs: number) => {
      const real = new RealClock();
      // Processes start as slowly as the machine lets them, whatever the speed.
      const deadline = real.now() + mostMs / speed + 20_000;
      while (!holds()) {
        if (real.now() > deadline)
          throw new Error(`it did not happen in ${mostMs} ms: ${runs.map(({ text }) => text)}`);
        await real.sleep(5);
      }
    };
    const callsFile = join(root, 'hook-calls');
    const lines = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
    return {
      host,
      engine,
      address: new URL(served.url).host,
      url: 'https://github.com/example-org',
      async config(args, env = {}) {
        const run = begin('config.sh', args, env);
        await until(() => run.code !== undefined, 120_000);
        return { code: run.code!, output: run.text };
      },
      listen({ args = [], env = {} } = {}): RunningListener {
        const run = begin('bin/Runner.Listener', ['run', ...args], env);
        return {
          output: () => run.text,
          exitCode: () => run.code,
          signal: (signal) => void run.child.kill(signal),
        };
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
      hookCalls: () => lines(callsFile),
      fillDisk() {
        // The first job's page of the log, on a device without room.
        mkdirSync(join(root, '_diag/pages'), { recursive: true });
        symlinkSync('/dev/full', join(root, '_diag/pages/1.log'));
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
        rmSync(root, { recursive: true, force: true });
      },
    };
  },
};

/** Processes whose name ends in `/Runner.Worker`, as the agent counts them; those of this folder. */
export function workersOf(root: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => commandLine(pid)[0] === join(root, 'bin/Runner.Worker'))
    .map(Number);
}

function commandLine(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** The Worker writes a page of its log when its job begins. */
export function hasWorked(root: string): boolean {
  const pages = join(root, '_diag/pages');
  return existsSync(pages) && readdirSync(pages).length > 0;
}

import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Clock, RealClock, ScaledClock, SystemRandom } from '@drover/core';
import type { RsaParameters } from '../../actions-service/runner-keys.ts';
import { jobEnvironment } from '../job-environment.ts';
import type {
  AcquiredJob,
  ListenerSystem,
  RunnerFiles,
  RunnerIdentity,
  RunnerSystem,
  WorkerMessage,
  WorkerProcess,
  WorkerSystem,
} from '../ports.ts';
import { logFile, readEnvFile, readIdentity, standInVersion, workerName } from '../runner-files.ts';
import { wireJob, wirePipelines } from './wire-pipelines.ts';

/** RUNNER_STAND_IN_SPEED=20: every wait takes a twentieth. */
const speed = Number(process.env.RUNNER_STAND_IN_SPEED ?? 1);
const clock: Clock = speed === 1 ? new RealClock() : new ScaledClock({ speed });
const random = new SystemRandom();
/** The end of what a job wrote is kept. */
const mostOutput = 16_384;

/** The Linux machine that a program of the runner software runs on; `root` is where the tarball was unpacked. */
export function linuxSystem(root: string, argv: readonly string[]): RunnerSystem {
  const files = filesBelow(root);
  const version = files.read('.version')?.trim() ?? standInVersion;
  return {
    argv,
    env: { ...process.env, ...readEnvFile(files.read('.env')) },
    user: userInfo().username,
    hostName: hostname(),
    files,
    clock,
    random,
    pipelines: wirePipelines({ clock, random, speed }, version),
    version,
    makeKey,
    say: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
  };
}

function makeKey(): RsaParameters {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n, e, d, p, q, dp, dq, qi } = privateKey.export({ format: 'jwk' });
  const plain = (value: string | undefined) => Buffer.from(value ?? '', 'base64url').toString('base64');
  const primes = { p: plain(p), q: plain(q), dp: plain(dp), dq: plain(dq), inverseQ: plain(qi) };
  return { modulus: plain(n), exponent: plain(e), d: plain(d), ...primes };
}

function filesBelow(root: string): RunnerFiles {
  return {
    read: (name) => (existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : undefined),
    write(name, text, mode = 0o644) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text, { mode });
      chmodSync(join(root, name), mode);
    },
    delete: (name) => rmSync(join(root, name), { force: true }),
  };
}

/** Appends to a file; throws when the disk is full, as the original does. */
function tracer(root: string, name: string): (line: string) => void {
  mkdirSync(join(root, dirname(name)), { recursive: true });
  return (line) => appendFileSync(join(root, name), `${line}\n`);
}

/** `Runner.Listener run`. */
export function linuxListener(root: string, argv: readonly string[]): ListenerSystem {
  const system = linuxSystem(root, argv);
  return {
    ...system,
    onSignal: (signal, act) => void process.on(signal, act),
    trace: tracer(root, logFile('Runner', clock.now())),
    startWorker: (job) => startWorker(root, system, job),
  };
}

/** The job goes in by the first line of a pipe, messages by those that follow. */
function startWorker(root: string, { env, files, version }: RunnerSystem, job: AcquiredJob): WorkerProcess {
  const inherited = Object.entries(env).filter(([name]) => !name.startsWith('ACTIONS_RUNNER_INPUT_'));
  const child = spawn(join(root, 'bin', workerName), ['spawnclient', '0', '1'], {
    cwd: root,
    env: Object.fromEntries(inherited),
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify({ job, identity: readIdentity(files, version) })}\n`);
  return {
    ended: new Promise((resolve) => {
      child.on('error', () => resolve(1));
      child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 137)));
    }),
    tell: (message) => void child.stdin.write(`${message}\n`),
  };
}

/** `Runner.Worker`: resolves when the listener has sent the job. The end of the pipe means nothing. */
export function linuxWorker(root: string): Promise<WorkerSystem> {
  const lines = createInterface({ input: process.stdin });
  let onMessage: (message: WorkerMessage) => void = () => {};
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      const { job, identity } = JSON.parse(line) as { job: AcquiredJob; identity: RunnerIdentity };
      lines.on('line', (message) => onMessage(message as WorkerMessage));
      resolve(
        workerSystem(root, job, identity, (act) => {
          onMessage = act;
        }),
      );
    });
  });
}

function workerSystem(
  root: string,
  job: AcquiredJob,
  identity: RunnerIdentity,
  onMessage: WorkerSystem['onMessage'],
): WorkerSystem {
  const scripts = {
    'job-started': process.env.ACTIONS_RUNNER_HOOK_JOB_STARTED,
    'job-completed': process.env.ACTIONS_RUNNER_HOOK_JOB_COMPLETED,
  };
  const folders = join(root, '_work');
  const name = (job.repository ?? 'example').split('/').at(-1)!;
  const work = join(folders, name, name);
  const tracked = { RUNNER_TRACKING_ID: `github_${random.uuid()}` };
  const env = { ...jobEnvironment(job), ...tracked };
  const service = wireJob({ clock, random, speed }, identity, job);
  const trace = tracer(root, logFile('Worker', clock.now()));
  const page = tracer(root, `_diag/pages/${job.id}.log`);
  return {
    clock,
    random,
    job,
    service: {
      ...service,
      complete(result) {
        killTracked(tracked.RUNNER_TRACKING_ID);
        rmSync(join(folders, '_temp'), { recursive: true, force: true });
        return service.complete(result);
      },
    },
    onSignal: (signal, act) => void process.on(signal, act),
    onMessage,
    trace(line) {
      trace(line);
      page(line);
    },
    isUsable() {
      try {
        for (const folder of [work, join(folders, '_temp')]) mkdirSync(folder, { recursive: true });
        return existsSync(join(root, '.runner'));
      } catch {
        return false;
      }
    },
    async hook(name, signal) {
      const script = scripts[name];
      return script === undefined ? 0 : (await bash(['-e', script], work, signal, env)).exitCode;
    },
    async steps(signal) {
      await clock.sleep(job.durationMs, signal);
      return job.script === undefined ? { exitCode: 0 } : await bash(['-e', '-c', job.script], work, signal, env);
    },
  };
}

/** Steps get SIGINT when the job is stopped, then SIGTERM, then SIGKILL. */
function bash(
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
  more: Readonly<Record<string, string>>,
): Promise<{ exitCode: number; output: string }> {
  const env = { ...process.env, ...more };
  const child = spawn('bash', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (text: Buffer) => {
    output = (output + text.toString('utf8')).slice(-mostOutput);
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep);
  signal.addEventListener('abort', () => {
    child.kill('SIGINT');
    clock.after(7_500, () => child.kill('SIGTERM'));
    clock.after(10_000, () => child.kill('SIGKILL'));
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ exitCode: 127, output: error.message }));
    child.on('close', (code) => resolve({ exitCode: code ?? 1, output }));
    // A process that it left behind may hold its output open.
    child.on('exit', (code) => clock.after(5_000, () => resolve({ exitCode: code ?? 1, output })));
  });
}

/** Ends whatever the job left behind with its mark in the environment. */
function killTracked(id: string): void {
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`RUNNER_TRACKING_ID=${id}`))
        process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or is another user's.
    }
}

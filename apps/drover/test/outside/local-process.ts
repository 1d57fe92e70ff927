import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
/** A busy machine may need a while. */
const readyWithinMs = 400_000;

/** The result of a command in another shell. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real `drover local` on ports of its own, with a state of its own. */
export class LocalProcess {
  readonly state: string;
  readonly url: string;
  readonly #args: readonly string[];
  #process: ChildProcess;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(process_: ChildProcess, args: readonly string[], state: string, url: string) {
    this.#process = process_;
    this.#args = args;
    this.state = state;
    this.url = url;
    this.#env = readEnv(this.envFile);
  }

  static async start(...options: string[]): Promise<LocalProcess> {
    const state = mkdtempSync(join(tmpdir(), 'drover-local-state-'));
    const [console_, aws, platform] = [await freePort(), await freePort(), await freePort()];
    const ports = { console: console_, aws, platform, search: await freePort('127.0.1.1') };
    const named = Object.entries(ports).flatMap(([name, port]) => [`--${name}-port`, String(port)]);
    const args = ['apps/drover/bin/drover.js', 'local', '--state', state, ...named, ...options];
    const child = spawnNode(args);
    await ready(child);
    return new LocalProcess(child, args, state, `http://127.0.0.1:${ports.console}`);
  }

  /** Starts it again after it was stopped; resolves when its session has been replayed. */
  async again(): Promise<void> {
    this.#process = spawnNode(this.#args);
    await ready(this.#process);
  }

  get envFile(): string {
    return join(this.state, 'local.env');
  }

  get platformApi(): string {
    return this.#env.DROVER_PLATFORM_API!;
  }

  get platformToken(): string {
    return this.#env.DROVER_PLATFORM_TOKEN!;
  }

  get searchUrl(): string {
    return this.#env.DROVER_CLUSTER_URL!;
  }

  /** For a client of the AWS SDK. */
  get aws() {
    const { AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = this.#env;
    return {
      endpoint: AWS_ENDPOINT_URL!,
      region: AWS_REGION!,
      credentials: { accessKeyId: AWS_ACCESS_KEY_ID!, secretAccessKey: AWS_SECRET_ACCESS_KEY! },
    };
  }

  /** Runs a command of `drover` that serves until it is stopped, in a second shell, until it says that it is ready; returns how to stop it. */
  async serve(...args: string[]): Promise<() => Promise<number | null>> {
    const shell = ['-c', '. "$0"; exec "$@"', this.envFile, process.execPath, 'apps/drover/bin/drover.js', ...args];
    const env = { PATH: process.env.PATH, HOME: this.state };
    const child = spawn('/bin/sh', shell, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    await ready(child);
    return () => interrupt(child);
  }

  /** Runs a command in a second shell that has read `local.env`, with nothing of this machine's own. */
  run(command: string, args: readonly string[]): Promise<Answer> {
    return this.#execute('/bin/sh', ['-c', '. "$0"; exec "$@"', this.envFile, command, ...args], root);
  }

  /**
   * Runs a script as it is typed into a new bash in the folder in which `npm start` runs: `.drover` is this process's state.
   * `aws` is the AWS command line that is installed there.
   */
  async type(script: string, aws: string): Promise<Answer> {
    const folder = mkdtempSync(join(tmpdir(), 'drover-second-shell-'));
    symlinkSync(this.state, join(folder, '.drover'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'aws'), `#!/bin/sh\nexec '${aws}' "$@"\n`, { mode: 0o755 });
    try {
      return await this.#execute('/bin/bash', ['-euo', 'pipefail', '-c', script], folder, `${bin}:${ownPath}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  #execute(command: string, args: readonly string[], cwd: string, path = process.env.PATH): Promise<Answer> {
    const env = { PATH: path, HOME: this.state };
    return new Promise((resolve) => {
      execFile(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
      );
    });
  }

  /** Ctrl-C; returns the exit code. */
  async stop(): Promise<number | null> {
    return await interrupt(this.#process);
  }
}

/** The PATH of a new shell: without the folders that `npm run` has put before it. */
export const ownPath = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.endsWith('node_modules/.bin'))
  .join(':');

const spawnNode = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });

async function interrupt(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  return await ended;
}

function ready(child: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('is not ready'), readyWithinMs);
    const fail = (why: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`drover ${why}:\n${said}`));
    };
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (!/^drover (local|console) ready: .*http:/m.test(said)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout!.on('data', hear);
    child.stderr!.on('data', hear);
    child.once('exit', (code) => fail(`ended with ${code}`));
  });
}

const readEnv = (file: string): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^export ([A-Z_]+)='(.*)'$/gm)].map(([, name, value]) => [name!, value!]),
  );

/** A port that was free a moment ago. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** No server can be had here, and why. */
export class NoServer extends Error {}

/** How much slower than two cores that do nothing else this machine may be (`.ci/run`). */
export const slower = Number(process.env.DROVER_SLOWER ?? 1);

/** Where a command is, if it is on the path. */
export function find(command: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, command)).find((path) => existsSync(path));
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly limitMs?: number;
}

/** Runs a command to its end; a failure carries the last lines of what it said. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { input = '', env = process.env, cwd, limitMs = 60_000 } = options;
  const child = spawn(command, args, { env, cwd, timeout: limitMs * slower, killSignal: 'SIGKILL' });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const why = signal === null ? `exit code ${code}` : `stopped after ${(limitMs * slower) / 1000} s`;
      reject(new Error(`${command} ${args[0] ?? ''}: ${why}\n${lastLines(output)}`));
    });
  });
}

export const lastLines = (text: string, count = 15) => text.trimEnd().split('\n').slice(-count).join('\n');

/** Where Debian's packages, and most others, put a Java. */
const javas = '/usr/lib/jvm';

/** A Java of at least this version: that on the path, otherwise the oldest of those that are installed beside it. */
export function javaHome(least = 17): string {
  const java = find('java');
  if (java === undefined) throw new NoServer(`there is no java on the path (Java ${least} is needed)`);
  const { stderr } = spawnSync(java, ['-XshowSettings:properties', '-version'], { encoding: 'utf8' });
  const home = /java\.home = (.+)/.exec(stderr)?.[1]?.trim();
  const major = Number(/java\.specification\.version = (\d+)/.exec(stderr)?.[1]);
  if (home !== undefined && major >= least) return home;
  const [beside] = besides().filter((one) => one.major >= least);
  if (beside === undefined) throw new NoServer(`java is of version ${major}; at least ${least} is needed`);
  return beside.home;
}

/** Complete ones, which say their version in the file `release`. */
function besides(): { readonly home: string; readonly major: number }[] {
  if (!existsSync(javas)) return [];
  return readdirSync(javas)
    .map((name) => join(javas, name))
    .filter((home) => existsSync(join(home, 'release')) && existsSync(join(home, 'bin/javac')))
    .map((home) => ({
      home,
      major: Number(/^JAVA_VERSION="(\d+)/m.exec(readFileSync(join(home, 'release'), 'utf8'))?.[1]),
    }))
    .sort((a, b) => a.major - b.major);
}

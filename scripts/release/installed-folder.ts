import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root, version } from '../build/version.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The output of a command that succeeded; throws with all that it printed otherwise. */
export function good({ code, stdout, stderr }: Ended): string {
  if (code !== 0) throw new Error(`exit code ${code}\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`);
  return stdout;
}

/** An empty folder of a user, outside the repository. */
export class InstalledFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'drover-user-'));

  write(name: string, content: string | Uint8Array | object): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(
      join(this.path, name),
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
    );
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  /** Copies an app of `apps`, with the version that it is written for. */
  copyApp(from: string, name = from): void {
    const text = readFileSync(join(root, 'scripts/release/apps', from), 'utf8');
    this.write(name, text.replace('x.y.z', version));
  }

  /** The templates that an app wrote into `cdk.out` below a folder, by the names of their files. */
  templates(below = '.'): Readonly<Record<string, string>> {
    const folder = join(this.path, below, 'cdk.out');
    const names = readdirSync(folder).filter((name) => name.endsWith('.template.json'));
    return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  }

  /** Runs a shell line in the folder; resolves however it ends. */
  run(line: string): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { cwd: this.path, env: cleanEnvironment(), maxBuffer: 64 * 1024 ** 2 };
      execFile('/bin/sh', ['-ec', line], options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
      );
    });
  }

  /** Starts a shell line and resolves, when it has printed `ready`, with what ends it as Ctrl-C does. */
  start(line: string, ready: string): Promise<() => Promise<unknown>> {
    // A group of its own: npx has children.
    const child = spawn('/bin/sh', ['-ec', line], { cwd: this.path, env: cleanEnvironment(), detached: true });
    const closed = new Promise((resolve) => child.once('close', resolve));
    const interrupt = () => {
      process.kill(-child.pid!, 'SIGINT');
      return closed;
    };
    let said = '';
    return new Promise((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        said += String(chunk);
        if (said.includes(ready)) resolve(interrupt);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('exit', (code) => reject(new Error(`${line} ended with ${code}:\n${said}`)));
    });
  }
}

/** Without what npm and vitest set for the programs that they start, and without the commands of the repository. */
export const cleanEnvironment = () => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST|AWS_|DROVER_)/.test(name)),
  ),
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => !folder.endsWith('node_modules/.bin'))
    .join(':'),
});

export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

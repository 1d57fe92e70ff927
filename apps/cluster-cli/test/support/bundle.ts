import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildClusterCli } from '../../../../scripts/build/cluster-cli.ts';

let built: Promise<string> | undefined;

/** The built command; built once per test file. */
export function bundle(): Promise<string> {
  built ??= buildClusterCli();
  return built;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Kills the process without a warning. */
  readonly kill?: AbortSignal;
  /** Told of what is written to stderr, with a way to signal the process. */
  readonly onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs the built command as a process of its own. */
export async function runBundle(argv: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [await bundle(), ...argv], {
    env: { PATH: process.env.PATH ?? '', AWS_EC2_METADATA_DISABLED: 'true', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    options.onStderr?.(stderr, (signal) => child.kill(signal));
  });
  options.kill?.addEventListener('abort', () => child.kill('SIGKILL'));
  child.stdin.end(options.stdin ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(stdout), stderr };
}

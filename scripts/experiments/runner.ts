import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Secret } from '@drover/core';

export const preload = fileURLToPath(new URL('each/preload.cjs', import.meta.url));

/** One note of the preload in a process of the runner's Node. */
export interface Seen {
  readonly event: 'loaded' | 'request';
  readonly node: string;
  readonly host?: string;
  readonly path?: string;
}

export interface RunningRunner {
  /** The notes of the preload so far. */
  seen(): readonly Seen[];
  /** Ends the runner and forgets its folder. */
  end(): Promise<void>;
}

/** GitHub's own runner program on this machine. */
export class RealRunner {
  readonly #folder: string;

  constructor(folder: string) {
    if (!existsSync(join(folder, 'run.sh'))) throw new Error(`${folder} has no run.sh: unpack GitHub's runner there`);
    this.#folder = folder;
  }

  /** Starts it in a copy of its folder with a just-in-time configuration, and with the preload in its environment. */
  start(configuration: Secret): RunningRunner {
    const folder = mkdtempSync(join(tmpdir(), 'drover-experiment-'));
    cpSync(this.#folder, folder, { recursive: true, verbatimSymlinks: true });
    const files = JSON.parse(Buffer.from(configuration.reveal(), 'base64').toString('utf8')) as Record<string, string>;
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), Buffer.from(content, 'base64'), { mode: 0o600 });
    const log = join(folder, 'preload.jsonl');
    const env = {
      ...process.env,
      NODE_OPTIONS: `--require=${preload}`,
      DROVER_EXPERIMENT_LOG: log,
      DROVER_EXPERIMENT_NODE: join(folder, 'externals'),
    };
    const child = spawn(join(folder, 'run.sh'), { cwd: folder, env, detached: true, stdio: 'ignore' });
    const over = new Promise<void>((resolve) => child.on('close', () => resolve()));
    return {
      seen: () => (existsSync(log) ? linesOf(readFileSync(log, 'utf8')) : []),
      async end() {
        if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
        await over;
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
}

const linesOf = (text: string): Seen[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Seen);

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { workerBundle } from '../build/drover.ts';
import type { SeedResult } from './seed-result.ts';

/**
 * A digest of what plays a seed: the bundled code of these modules with all that they import, the packages of npm, and Node. What only
 * other scenarios play is no part of it, nor are tests and documents.
 */
export async function codeOf(plays: readonly string[], lockFile = 'package-lock.json'): Promise<string> {
  const outdir = join(process.cwd(), '.cache/campaign/code');
  const { outputFiles } = await build({
    ...workerBundle,
    entryPoints: [...plays],
    outdir,
    splitting: true,
    write: false,
  });
  const hash = createHash('sha256').update(process.version).update(readFileSync(lockFile));
  for (const { path, text } of outputFiles.sort((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(relative(outdir, path)).update(text);
  return hash.digest('hex').slice(0, 16);
}

/** Results of a scenario over many runs, a line a seed: a seed that was green is not played again by the same code. */
export class Ledger {
  readonly #file: string;
  readonly #run: { readonly scenario: string; readonly code: string };

  constructor(file: string, scenario: string, code: string) {
    this.#file = file;
    this.#run = { scenario, code };
  }

  /** Seeds whose last result with this code was green. */
  green(): ReadonlySet<number> {
    const lines = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').filter(Boolean) : [];
    const { scenario, code } = this.#run;
    const own = lines
      .map((line) => JSON.parse(line))
      .filter((line) => line.scenario === scenario && line.code === code);
    const last = new Map<number, number>(own.map(({ seed, violations }) => [seed, violations]));
    return new Set([...last.keys()].filter((seed) => last.get(seed) === 0));
  }

  add({ seed, violations, cpuSeconds, summary }: SeedResult): void {
    const result = { seed, violations: violations.length, cpuSeconds, summary };
    appendFileSync(this.#file, `${JSON.stringify({ ...this.#run, ...result })}\n`);
  }
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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

/** Results of one scenario and one code: seeds are ranges, so that thousands of them are a few lines in a commit. */
interface Played {
  readonly green: string;
  readonly failed: string;
  readonly cpuSeconds: number;
}

/** Results of scenarios over many runs and machines: a seed that was green is not played again by the same code. */
export class Ledger {
  readonly #file: string;
  readonly #run: string;

  constructor(file: string, scenario: string, code: string) {
    this.#file = file;
    this.#run = `${scenario} ${code}`;
  }

  /** Seeds whose last result with this code was green. */
  green(): ReadonlySet<number> {
    return new Set(seedsOf(this.#read()[this.#run]?.green ?? ''));
  }

  /** After each seed: a campaign that is interrupted has lost nothing. */
  add({ seed, violations, cpuSeconds = 0 }: SeedResult): void {
    const all = this.#read();
    const before = all[this.#run] ?? { green: '', failed: '', cpuSeconds: 0 };
    const isGreen = violations.length === 0;
    all[this.#run] = {
      green: rangesOf(seedsOf(before.green, seed), isGreen ? [seed] : []),
      failed: rangesOf(seedsOf(before.failed, seed), isGreen ? [] : [seed]),
      cpuSeconds: Math.round(10 * (before.cpuSeconds + cpuSeconds)) / 10,
    };
    const written = `${this.#file}.${process.pid}`;
    writeFileSync(written, `${JSON.stringify(all, undefined, 2)}\n`);
    renameSync(written, this.#file);
  }

  #read(): Record<string, Played> {
    return existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : {};
  }
}

/** The seeds of ranges such as `3-5,9`, but for one. */
function seedsOf(ranges: string, without?: number): number[] {
  const parts = ranges.split(',').filter(Boolean);
  return parts
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    })
    .filter((seed) => seed !== without);
}

function rangesOf(...seeds: readonly (readonly number[])[]): string {
  const ranges: [number, number][] = [];
  for (const seed of seeds.flat().sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === seed - 1) last[1] = seed;
    else ranges.push([seed, seed]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeedResult } from './seed-result.ts';

/** A digest of what plays: the files of the bundled worker, the packages of npm, and Node. Tests and documents are no part of it. */
export function codeOf(folder: string, lockFile = 'package-lock.json'): string {
  const hash = createHash('sha256').update(process.version).update(readFileSync(lockFile));
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
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

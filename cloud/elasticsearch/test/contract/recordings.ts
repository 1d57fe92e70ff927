import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import type { Recorded } from './normalise.ts';

const folder = join(import.meta.dirname, 'recorded');

/** One file of recordings for each file of cases. */
const fileOf = () => join(folder, `${basename(expect.getState().testPath!, '.test.ts')}.snap.json`);

const read = new Map<string, Record<string, Recorded>>();

function recordings(file: string): Record<string, Recorded> {
  let known = read.get(file);
  if (known === undefined) {
    known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Recorded>) : {};
    read.set(file, known);
  }
  return known;
}

/** The recorded response of a real server at this step. */
export function recall(key: string): Recorded {
  const found = recordings(fileOf())[key];
  if (found === undefined) throw new Error(`never recorded: ${key} (npm run test:elasticsearch -- --record)`);
  return found;
}

/** Records the response of a real server, sorted by name so that recordings can be compared. */
export function record(key: string, seen: Recorded): void {
  const file = fileOf();
  const all = recordings(file);
  all[key] = seen;
  mkdirSync(folder, { recursive: true });
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 1)}\n`);
}

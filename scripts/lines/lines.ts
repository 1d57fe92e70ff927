/**
 * Counts lines of code (no comments, blank lines, tests, generated files or data) by floor and package, here and at another commit:
 * `npm run lines`, `npm run lines -- REVISION`. Without a revision it compares with the commit that 0.1.0 was frozen from. A file that
 * has moved since counts at the other commit where it is now, so that a move changes no figure.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { codeLines, isCounted } from './code-lines.ts';
import { type Floor, floorOf, floors, packageBefore, packageOf } from './floors.ts';

const frozen = 'c3cc97c';
type Sources = ReadonlyMap<string, string>;

const git = (args: readonly string[], input?: string) =>
  execFileSync('git', args, {
    encoding: 'utf8',
    maxBuffer: 512 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });

function here(): Sources {
  const files = git(['ls-files', '-co', '--exclude-standard']).trim().split('\n').filter(isCounted);
  return new Map(
    files.flatMap((file) => {
      try {
        return [[file, readFileSync(file, 'utf8')]];
      } catch {
        return []; // deleted, not committed yet
      }
    }),
  );
}

/** One process reads all files: one for each would take longer than the counting. */
function at(revision: string): Sources {
  const files = git(['ls-tree', '-r', '--name-only', revision]).trim().split('\n').filter(isCounted);
  const batch = execFileSync('git', ['cat-file', '--batch'], {
    input: files.map((file) => `${revision}:${file}\n`).join(''),
    maxBuffer: 512 * 1024 * 1024,
  });
  const found = new Map<string, string>();
  let position = 0;
  for (const file of files) {
    const headEnd = batch.indexOf('\n', position);
    const size = Number(batch.toString('utf8', position, headEnd).split(' ')[2]);
    found.set(file, batch.toString('utf8', headEnd + 1, headEnd + 1 + size));
    position = headEnd + size + 2;
  }
  return found;
}

/** Where the files of a revision are now, as git recognises moves. */
function movedSince(revision: string): ReadonlyMap<string, string> {
  const lines = git(['diff', '--name-status', '-l0', '--find-renames=40%', '--diff-filter=R', revision, '--']).trim();
  return new Map(lines === '' ? [] : lines.split('\n').map((line) => line.split('\t').slice(1) as [string, string]));
}

function countBy(sources: Sources, placeOf: (file: string) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [file, text] of sources)
    counts.set(placeOf(file), (counts.get(placeOf(file)) ?? 0) + codeLines(file, text));
  return counts;
}

function print(name: string, before: number, now: number): void {
  const ratio = before === 0 ? 'new' : `${((100 * now) / before).toFixed(1)} %`;
  console.log(`${name.padEnd(28)} ${String(before).padStart(9)} ${String(now).padStart(9)}   ${ratio}`);
}

const revision = process.argv[2] ?? frozen;
const moved = movedSince(revision);
const before = countBy(at(revision), (file) =>
  moved.has(file) ? packageOf(moved.get(file)!) : existsSync(file) ? packageOf(file) : packageBefore(file),
);
const now = countBy(here(), packageOf);
const packages = [...new Set([...before.keys(), ...now.keys()])].toSorted();
const sum = (counts: ReadonlyMap<string, number>, of: Floor) =>
  packages.filter((name) => floorOf(name) === of).reduce((total, name) => total + (counts.get(name) ?? 0), 0);

console.log(`${'lines of code'.padEnd(28)} ${revision.slice(0, 9).padStart(9)} ${'here'.padStart(9)}`);
for (const floor of floors) {
  print(floor, sum(before, floor), sum(now, floor));
  for (const name of packages.filter((one) => floorOf(one) === floor))
    print(`  ${name}`, before.get(name) ?? 0, now.get(name) ?? 0);
}

import { readFileSync } from 'node:fs';
import { codeLines, isCounted } from '../lines/code-lines.ts';
import { packageOf } from '../lines/floors.ts';
import { digest, lastGreen, noteGreen } from './last-green.ts';

/** Most lines of code that each package may have. Raising one is a line in a decision. */
type Ceilings = Readonly<Record<string, number>>;
type FileLines = readonly (readonly [file: string, lines: number])[];

export const ceilings = (): Ceilings => JSON.parse(readFileSync('scripts/check/ceilings.json', 'utf8')) as Ceilings;

/** Packages above their ceiling, and packages without one. */
export function aboveCeilings(files: FileLines, most: Ceilings): string[] {
  const counts = new Map<string, number>();
  for (const [file, lines] of files) counts.set(packageOf(file), (counts.get(packageOf(file)) ?? 0) + lines);
  return [...counts].flatMap(([folder, lines]) => {
    const ceiling = most[folder];
    if (ceiling === undefined) return [`package without a ceiling in scripts/check/ceilings.json: ${folder}`];
    if (lines <= ceiling) return [];
    return [`more lines of code (${lines}) than its ceiling (${ceiling}), cut it or raise it by a decision: ${folder}`];
  });
}

/** A file that has not changed since the last run is not parsed again. */
export function fileLines(files: readonly string[]): FileLines {
  const known = lastGreen('lines');
  const counted = files.filter(isCounted).map((file) => {
    const text = readFileSync(file, 'utf8');
    const name = `${file} ${digest(text)}`;
    return [name, known[name] ?? String(codeLines(file, text))] as const;
  });
  noteGreen('lines', Object.fromEntries(counted));
  return counted.map(([name, lines]) => [name.slice(0, name.indexOf(' ')), Number(lines)]);
}

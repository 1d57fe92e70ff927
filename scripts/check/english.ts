/**
 * Finds phrases that read as translated, in comments, titles of tests, strings and documents: in every file of a fresh clone, afterwards
 * in those that changed since the last run that passed. `--sample SEED` draws 60 comments and 60 titles and marks those that match.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SeededRandom } from '@drover/core';
import { type Mark, marksIn, patternsIn, piecesOf } from './english/marks.ts';
import { digest, lastGreen, noteGreen } from './last-green.ts';

const [option, seed] = process.argv.slice(2);
const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).stdout.trim();
const files = listed.split('\n').filter((file) => /\.(tsx?|md)$/.test(file) && !/(^|\/)fixtures\//.test(file));
const read = (file: string) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // deleted, and not committed yet
  }
};

const show = ({ file, piece, pattern }: Mark) =>
  `${file}:${piece.line}: "${pattern.name}" in a ${piece.kind}: ${piece.text.slice(0, 160)}\n  write instead: ${pattern.instead}`;

if (option === '--sample') {
  const random = new SeededRandom(seed ?? '1');
  const pieces = files.flatMap((file) => piecesOf(file, read(file)).map((piece) => ({ file, piece })));
  for (const kind of ['comment', 'title']) {
    const left = pieces.filter(({ piece }) => piece.kind === kind);
    const drawn = Array.from({ length: 60 }, () => left.splice(random.int(0, left.length - 1), 1)).flat();
    const rows = drawn.map(({ file, piece }) => ({ file, piece, marks: patternsIn(file, piece) }));
    for (const { file, piece, marks } of rows)
      console.log(`${marks.length > 0 ? 'X' : ' '} ${file}:${piece.line}: ${piece.text.slice(0, 160)}`);
    console.log(`${rows.filter(({ marks }) => marks.length > 0).length} of 60 ${kind}s marked\n`);
  }
} else {
  const rules = digest(
    ['patterns', 'pieces', 'marks'].map((name) => read(`scripts/check/english/${name}.ts`)).join(''),
  );
  const digests = Object.fromEntries(files.map((file) => [file, rules + digest(read(file))]));
  const before = lastGreen('english');
  const marks = files.filter((file) => before[file] !== digests[file]).flatMap((file) => marksIn(file, read(file)));
  for (const mark of marks) console.error(show(mark));
  if (marks.length > 0) process.exit(1);
  noteGreen('english', digests);
}

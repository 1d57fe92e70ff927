/**
 * Counts lines of code (no comments, blank lines, tests, generated files or data) of cloud/ and of everything else, here and at another
 * commit: `npm run lines`, `npm run lines -- REVISION`. Without a revision it compares with the commit that 0.1.0 was frozen from.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const frozen = 'c3cc97c';
/** Where the embedded cloud is now, and where it was in 0.1.0. */
const cloudFolders = ['cloud/', 'packages/embedded-cloud/'];
const sources = /^(cloud|packages|apps|examples|bench|scripts)\/.*\.tsx?$/;
const notCounted =
  /(\.test\.tsx?$|\/test\/|\/testing\/|\/src\/testing\.ts$|test-support|-fixture\.ts$|\/generated\/|\.generated\.ts$|^scripts\/test\/)/;

interface Count {
  readonly cloud: number;
  readonly rest: number;
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });

function count(files: readonly string[], read: (file: string) => string): Count {
  const total = { cloud: 0, rest: 0 };
  for (const file of files.filter((name) => sources.test(name) && !notCounted.test(name)))
    total[cloudFolders.some((folder) => file.startsWith(folder)) ? 'cloud' : 'rest'] += codeLines(file, read(file));
  return total;
}

/** Lines on which a token of code begins or goes on. */
function codeLines(file: string, text: string): number {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isToken(node) || node.kind === ts.SyntaxKind.JsxText) {
      if (node.kind === ts.SyntaxKind.EndOfFileToken) return;
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      for (let line = first; line <= last; line++) lines.add(line);
      return;
    }
    for (const child of node.getChildren(source)) if (!isComment(child)) visit(child);
  };
  visit(source);
  return lines.size;
}

const isComment = (node: ts.Node) =>
  node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode;

function at(revision: string): Count {
  const listed = git('ls-tree', '-r', '--name-only', revision).trim().split('\n');
  return count(listed, (file) => git('show', `${revision}:${file}`));
}

const here = count(git('ls-files', '-co', '--exclude-standard').trim().split('\n'), (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // deleted, not committed yet
  }
});
const revision = process.argv[2] ?? frozen;
const there = at(revision);
const percent = (now: number, before: number) => `${((100 * now) / before).toFixed(1)} %`;
console.log(`lines of code        ${revision.padStart(9)}       here`);
for (const part of ['cloud', 'rest'] as const)
  console.log(
    `${part.padEnd(18)} ${String(there[part]).padStart(11)} ${String(here[part]).padStart(10)}   ${percent(here[part], there[part])}`,
  );

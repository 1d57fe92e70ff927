/** Lints and checks the format: every file in a fresh clone, afterwards those that changed since the last run that passed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { digest, lastGreen, noteGreen } from './last-green.ts';

const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).stdout.trim();
const digests: Record<string, string> = {};
for (const file of listed.split('\n').filter((name) => /\.(ts|tsx|js|cjs|mjs|json|css)$/.test(name))) {
  try {
    digests[file] = digest(readFileSync(file));
  } catch {
    // Deleted, and not committed yet.
  }
}

const before = lastGreen('lint');
const rulesChanged = ['biome.json', 'package-lock.json'].some((file) => before[file] !== digests[file]);
const changed = Object.keys(digests).filter((file) => before[file] !== digests[file]);
if (rulesChanged || changed.length > 0) {
  const files = rulesChanged ? ['.'] : changed;
  const args = ['ci', '--error-on-warnings', '--no-errors-on-unmatched', ...files];
  const { status } = spawnSync('node_modules/.bin/biome', args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
noteGreen('lint', digests);

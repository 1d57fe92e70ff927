/**
 * `lane.ts NAME CONFIG [--all | STORY [ROUNDS]]`: builds everything and runs the stories of one lane of CI, or one that runs by its name only; the
 * last line is of counts.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { buildAll } from '../build/all.ts';

const [name = '', config = '', all, roundCount] = process.argv.slice(2);
const reportFile = `.cache/${name}-report.json`;
mkdirSync('.cache', { recursive: true });
rmSync(reportFile, { force: true });
await buildAll();
// Stories that take too long for CI, or need more tools than it has.
if (all === '--all') process.env.DROVER_ALL = '1';
else if (all !== undefined) process.env.DROVER_STORY = all;
if (roundCount !== undefined) process.env.DROVER_ROUNDS = roundCount;
const [command = '', ...before] = inOwnNetwork(name === 'runner');
const { status } = spawnSync(
  command,
  [
    ...before,
    'node_modules/vitest/vitest.mjs',
    'run',
    `--config=${config}`,
    '--reporter=verbose',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
  ],
  { stdio: 'inherit' },
);
const report = existsSync(reportFile)
  ? (JSON.parse(readFileSync(reportFile, 'utf8')) as Readonly<Record<string, number>>)
  : { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
// A file that fails outside its tests counts as one failure.
const failed = status === 0 ? 0 : Math.max(1, report.numFailedTests!);
console.log(`${report.numPassedTests} passed, ${failed} failed, ${report.numPendingTests} skipped`);
process.exit(failed > 0 || report.numPassedTests === 0 ? 1 : 0);

/** Stories that load firewall rules have a network of their own where one can be had: neither theirs nor any other's rules meet. */
function inOwnNetwork(wanted: boolean): string[] {
  const own = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const can = wanted && spawnSync(own[0]!, [...own.slice(1), 'true']).status === 0;
  return [...(can ? own : []), process.execPath];
}

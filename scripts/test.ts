/** Builds what the tests run, runs every test, and closes with one plain line of counts. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly unknown[];
  }[];
}

const reportFile = '.cache/test-report.json';
mkdirSync('.cache', { recursive: true });
rmSync(reportFile, { force: true });

const node = (...args: string[]) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
const built = node('--import', 'tsx', 'scripts/build.ts');
if (built !== 0) process.exit(built);
const status = node(
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportFile}`,
  ...process.argv.slice(2),
);

const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
).length;
const failed = report.numFailedTests + brokenFiles;
console.log(
  `${report.numPassedTests} passed, ${failed} failed, ${report.numPendingTests + report.numTodoTests} skipped`,
);
process.exit(status !== 0 || failed > 0 || report.numPassedTests === 0 ? 1 : 0);

/**
 * `npm test`: builds what the tests run, runs every test that needs nothing but npm, and closes with the time it took and one plain line
 * of counts. `npm run test:outside` (`--outside`) does the same with the tests that run outside clients. Other arguments are vitest's.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  askedFile,
  committedAsked,
  differences,
  mergeAsked,
  recordCommand,
  recordedFiles,
  recordFolder,
  wholeRecord,
} from './asked/asked.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

const outside = process.argv[2] === '--outside';
const only = process.argv.slice(outside ? 3 : 2);
const reportFile = outside ? '.cache/outside-report.json' : '.cache/test-report.json';
const startedAt = performance.now();
mkdirSync('.cache', { recursive: true });
rmSync(reportFile, { force: true });
// Requests of outside clients, and of test files that run alone, are added to those of the rest of the suite.
const whole = !outside && only.length === 0;
if (whole) for (const path of [recordFolder, wholeRecord]) rmSync(path, { recursive: true, force: true });

const node = (...args: string[]) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
const built = node('--import', 'tsx', 'scripts/build.ts');
if (built !== 0) process.exit(built);
const status = node(
  'node_modules/vitest/vitest.mjs',
  'run',
  ...(outside ? ['--project=outside'] : ['--project=together', '--project=alone']),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportFile}`,
  ...only,
);

const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
/** Failed outside of their tests, for example before the first one. */
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
).length;
const failed = report.numFailedTests + brokenFiles + askedOtherwise();
console.log(
  `npm ${outside ? 'run test:outside' : 'test'} took ${minutes((performance.now() - startedAt) / 1000)} of wall time, ${cpuTime()}`,
);
console.log(
  `${report.numPassedTests} passed, ${failed} failed, ${report.numPendingTests + report.numTodoTests} skipped`,
);
process.exit(status !== 0 || failed > 0 || report.numPassedTests === 0 ? 1 : 0);

/** 1 when a whole run asked for other things of the cloud than the committed list says; parts of the suite say nothing. */
function askedOtherwise(): number {
  if (only.length > 0 || report.numFailedTests > 0) return 0;
  // In CI every outside client is installed, so after both runs anything unrecorded has no caller.
  const complete = process.env.CI === 'true' && outside && existsSync('.cache/test-report.json');
  if (whole) writeFileSync(wholeRecord, '');
  const differ = differences(mergeAsked({}, recordedFiles()), committedAsked(), complete);
  for (const line of differ) console.error(line);
  if (differ.length > 0)
    console.error(
      `${askedFile} is not what was recorded: npm run coverage -- --record takes it over, ${recordCommand} a part`,
    );
  return differ.length > 0 ? 1 : 0;
}

function minutes(seconds: number): string {
  return `${Math.floor(Math.round(seconds) / 60)} min ${Math.round(seconds) % 60} s`;
}

/** Of this process and of every process that it waited for; only Linux says it. */
function cpuTime(): string {
  try {
    // After the name in parentheses: utime, stime, cutime and cstime are fields 14 to 17 (proc(5)), in hundredths of a second.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return `${minutes(ticks / 100)} of CPU time`;
  } catch {
    return 'CPU time unknown';
  }
}

/**
 * Runs the contract tests of the embedded cloud against an account of AWS.
 *
 *   DROVER_TEST_AWS_ACCOUNT=<12 digits> npm run test:aws [-- --file=<name> <options of vitest>]
 *   npm run test:aws -- --list               what would run and what it costs, without an account
 *   npm run test:aws -- --rehearse[=<speed>] the same against an embedded cloud over HTTP, on a clock that runs faster
 *
 * Exit codes: 0 all held, 1 something did not hold or was left behind, 2 refused before anything was done.
 */
import { spawn } from 'node:child_process';
import { AccountRefusal, namedAccount, requireAccount } from '../cloud/aws/test/contract/account.ts';
import { describePlan, planned, workers } from '../cloud/aws/test/contract/plan.ts';
import type { Rehearsal } from '../cloud/aws/test/contract/rehearsal.ts';

const folder = 'cloud/aws/test/contract';
const vitest = 'node_modules/vitest/vitest.mjs';
const rehearsedAccount = '123456789012';

interface Options {
  readonly list: boolean;
  /** How fast the rehearsed cloud runs; undefined for an account. */
  readonly rehearsalSpeed: number | undefined;
  /** The tests that vitest runs: the folder of the contract or one file of it. */
  readonly tests: string;
  /** Options of vitest, e.g. `-t "rule 14"`. */
  readonly rest: readonly string[];
}

function readOptions(args: readonly string[]): Options {
  const rehearsal = args.find((arg) => /^--rehearse(=|$)/.test(arg));
  const file = args.find((arg) => arg.startsWith('--file='));
  return {
    list: args.includes('--list'),
    rehearsalSpeed: rehearsal === undefined ? undefined : Number(rehearsal.split('=')[1] ?? 10),
    tests: file === undefined ? folder : `${folder}/${file.slice('--file='.length)}.test.ts`,
    rest: args.filter((arg) => arg !== '--list' && arg !== rehearsal && arg !== file),
  };
}

/** The result of a run of vitest: its exit code, and its output unless that went to the terminal. */
function runVitest(args: readonly string[], output: 'inherit' | 'pipe'): Promise<{ code: number; stdout: string }> {
  const env = { ...process.env, DROVER_CONTRACT_TARGET: 'aws' };
  const child = spawn(process.execPath, [vitest, ...args], { env, stdio: ['ignore', output, 'inherit'] });
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? 1, stdout })));
}

async function plan({ tests: path, rest }: Options): Promise<string> {
  const { stdout } = await runVitest(['list', path, '--json', ...rest], 'pipe');
  const tests = JSON.parse(stdout) as readonly { readonly name: string }[];
  return describePlan(tests.map(({ name }) => planned(name)));
}

async function runTests({ tests, rest }: Options): Promise<number> {
  const concurrency = [`--maxWorkers=${workers.files}`, `--maxConcurrency=${workers.testsOfAFile}`];
  const { code } = await runVitest(['run', tests, '--reporter=verbose', ...concurrency, ...rest], 'inherit');
  return code;
}

/** Lists what tests of this or an earlier run have left; the reader has to remove it. */
async function sweep(): Promise<number> {
  const { accountClients } = await import('../cloud/aws/test/contract/account-target.ts');
  const { leftovers } = await import('../cloud/aws/test/contract/leftovers.ts');
  const left = await leftovers(accountClients());
  console.log(left.length === 0 ? 'Nothing is left behind.' : `Left behind:\n${left.map((l) => `  ${l}`).join('\n')}`);
  return left.length === 0 ? 0 : 1;
}

async function runAgainstAccount(options: Options): Promise<number> {
  const account = namedAccount(process.env);
  const { arn } = await requireAccount(account);
  console.log(
    `Account ${account} as ${arn}${process.env.AWS_ENDPOINT_URL ? ` at ${process.env.AWS_ENDPOINT_URL}` : ''}`,
  );
  console.log(await plan(options));
  const failed = await runTests(options);
  const left = await sweep();
  return failed === 0 && left === 0 ? 0 : 1;
}

async function rehearse(speed: number): Promise<Rehearsal> {
  const { serveRehearsal } = await import('../cloud/aws/test/contract/rehearsal.ts');
  const rehearsal = await serveRehearsal(speed);
  Object.assign(process.env, rehearsal.environment, { DROVER_TEST_AWS_ACCOUNT: rehearsedAccount });
  return rehearsal;
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.list) {
    console.log(await plan(options));
    return 0;
  }
  const rehearsal = options.rehearsalSpeed === undefined ? undefined : await rehearse(options.rehearsalSpeed);
  try {
    return await runAgainstAccount(options);
  } catch (error) {
    if (!(error instanceof AccountRefusal)) throw error;
    console.error(`refused: ${error.message}`);
    return 2;
  } finally {
    await rehearsal?.close();
  }
}

process.exit(await main());

/**
 * Runs a scenario with many seeds, a worker a core: `npm run campaign -- --scenario fleet --first-seed 1 --seeds 500`.
 * Prints what was run; for a failure its seed and the command that replays it. `--commit REVISION` derives three first seeds from a
 * commit's hash, so that no one has chosen them, and runs `--seeds` from each. `--until TEXT` ends with the first seed of which a violation has
 * the text; `--removed ID` does that in a copy of the tree without the fix (`campaign/removed.ts`). `--ledger FILE` keeps each result and
 * plays no seed again that was green for the same code, so that several runs add up to many seeds.
 */
import { execFileSync, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { bundleWorker } from './campaign/bundle-worker.ts';
import { campaigns } from './campaign/campaigns.ts';
import { firstSeedsOf } from './campaign/first-seeds.ts';
import { codeOf, Ledger } from './campaign/ledger.ts';
import { runRemoved } from './campaign/removed.ts';
import type { SeedResult } from './campaign/seed-result.ts';
import ownTemporaryFolder from './test/temporary-folder.ts';

const help = `npm run campaign -- [options]
Plays a scenario with many seeds, one worker per core, and prints the command that replays a failed one.

  --scenario NAME    ${Object.keys(campaigns).join(', ')}
                     (default fleet; CONTRIBUTING.md says what each plays)
  --seeds N          number of seeds (default 10)
  --first-seed N     the first of them (default 1)
  --commit REVISION  three first seeds from the hash of a commit, --seeds from each
  --workers N        number of workers (default ${availableParallelism()})
  --ledger FILE      add each result to FILE, and leave out seeds that are green there for the same code
  --until TEXT       stop at the first seed with a violation that contains TEXT
  --removed ID       the same in a copy of the tree without the fix ID`;

const values = readOptions();
if (values.removed !== undefined) process.exit(runRemoved(values.removed, values.workers));
const whole = (name: 'first-seed' | 'seeds' | 'workers') => {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} ${values[name]} is not a whole number above 0`);
  process.exit(2);
};
const campaign = campaigns[values.scenario];
if (campaign === undefined) {
  console.error(`there is no scenario ${values.scenario}; there are: ${Object.keys(campaigns).join(', ')}`);
  process.exit(2);
}
const firsts = values.commit === undefined ? [whole('first-seed')] : firstSeedsOf(commitHash(values.commit));
if (values.commit !== undefined) console.log(`first seeds of ${values.commit}: ${firsts.join(', ')}`);
const seeds = firsts.flatMap((first) => Array.from({ length: whole('seeds') }, (_, index) => first + index));
/**
 * A simulation makes millions of short-lived objects: with a larger nursery few of them are copied, and with a large heap from the
 * beginning nothing is marked while it grows. Bytecode that is kept is not compiled again.
 */
const heap = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--initial-heap-size=2000'];
const execArgv = [...heap, '--no-flush-bytecode'];
const results: SeedResult[] = [];
const startedAt = performance.now();
ownTemporaryFolder();
await campaign.prepare();
const workerFile = await bundleWorker();
const code = await codeOf(campaign.plays);
const ledger = values.ledger === undefined ? undefined : new Ledger(values.ledger, values.scenario, code);
const greenBefore = seeds.filter((seed) => ledger?.green().has(seed));
if (greenBefore.length > 0) seeds.splice(0, seeds.length, ...seeds.filter((seed) => !greenBefore.includes(seed)));
await Promise.all(Array.from({ length: Math.min(whole('workers'), seeds.length) }, () => work()));
report();

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        scenario: { type: 'string', default: 'fleet' },
        'first-seed': { type: 'string', default: '1' },
        commit: { type: 'string' },
        seeds: { type: 'string', default: '10' },
        workers: { type: 'string', default: String(availableParallelism()) },
        until: { type: 'string' },
        ledger: { type: 'string' },
        removed: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (!values.help) return values;
    console.log(help);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

function commitHash(revision: string): string {
  return execFileSync('git', ['rev-parse', '--verify', `${revision}^{commit}`], { encoding: 'utf8' }).trim();
}

/** One worker takes seed after seed; it is a process of its own, so that a seed cannot disturb another. */
function work(): Promise<void> {
  return new Promise((resolve) => {
    const worker = fork(workerFile, [values.scenario], { execArgv });
    let current: number | undefined;
    const next = () => {
      current = seeds.shift();
      if (current === undefined) worker.kill();
      else worker.send(current);
    };
    worker.on('message', (message) => {
      if (message !== 'ready') results.push(message as SeedResult);
      if (message !== 'ready') progress(message as SeedResult);
      if (message !== 'ready') ledger?.add(message as SeedResult);
      if (message !== 'ready' && isSought(message as SeedResult)) seeds.length = 0;
      next();
    });
    worker.on('exit', (code) => {
      if (current !== undefined)
        results.push({
          seed: current,
          violations: [`the worker ended with ${code}`],
          faults: 0,
          checks: 0,
          summary: '',
        });
      resolve();
    });
  });
}

/** Whether a violation has the text that the campaign is to find. */
function isSought({ violations }: SeedResult): boolean {
  return values.until !== undefined && violations.some((violation) => violation.includes(values.until!));
}

function progress({ seed, violations, summary, cpuSeconds = 0 }: SeedResult): void {
  console.log(`seed ${seed}: ${violations.length === 0 ? 'ok' : 'FAILED'} ${summary}, ${cpuSeconds.toFixed(1)} s`);
  // A campaign takes hours: what a seed found is there to read while the others run.
  for (const violation of violations) console.log(`  ${violation}`);
}

type Counts = Readonly<Record<string, number>>;

function total(all: readonly (Counts | undefined)[]): Counts {
  const sums: Record<string, number> = {};
  for (const counts of all)
    for (const [name, count] of Object.entries(counts ?? {})) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function printCounts(title: string, counts: Counts): void {
  if (Object.keys(counts).length === 0) return;
  console.log(`\n${title}:`);
  for (const [name, count] of Object.entries(counts).sort(([, a], [, b]) => b - a))
    console.log(`${String(count).padStart(9)}  ${name}`);
}

function report(): void {
  const failed = results.filter(({ violations }) => violations.length > 0);
  for (const { seed, violations } of failed) {
    console.log(`\nseed ${seed}:`);
    for (const violation of violations) console.log(`  ${violation}`);
    console.log(`  replay: npm run campaign -- --scenario ${values.scenario} --first-seed ${seed} --seeds 1`);
  }
  const sum = (pick: (result: SeedResult) => number) => results.reduce((total, result) => total + pick(result), 0);
  printCounts('faults injected', total(results.map(({ faultsByKind }) => faultsByKind)));
  printCounts('outcomes', total(results.map(({ outcomes }) => outcomes)));
  const cpu = results.flatMap(({ cpuSeconds }) => cpuSeconds ?? []);
  if (cpu.length > 0)
    console.log(
      `\nprocessor time a seed: mean ${(cpu.reduce((a, b) => a + b, 0) / cpu.length).toFixed(1)} s, most ${Math.max(...cpu).toFixed(1)} s`,
    );
  if (ledger !== undefined) console.log(`\ncode ${code}: ${greenBefore.length} seeds were green before`);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(
    `\n${results.length} seeds run, ${sum((r) => r.faults)} faults injected, ${sum((r) => r.checks)} checks made, ${failed.length} failed, ${minutes} minutes`,
  );
  process.exit((values.until === undefined ? failed.length === 0 : results.some(isSought)) ? 0 : 1);
}

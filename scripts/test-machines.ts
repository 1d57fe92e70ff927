/**
 * Stories on real Linux machines: instances of the embedded cloud that are containers.
 *
 *   npm run test:machines                  everything but what runs by name only
 *   npm run test:machines -- --core        what CI runs, fourteen minutes
 *   npm run test:machines -- --all         those that otherwise run by name only, too
 *   npm run test:machines -- --only NAME   stories whose name begins so
 *   npm run test:machines -- --root noble,http://archive.ubuntu.com/ubuntu,KEYRING
 *                                          machines of another release of Debian or Ubuntu, in stories that ask for none
 *   npm run test:machines -- --slower 3    each may take three times as long, on a machine that does other work
 *   npm run test:machines -- --list        names, and the seconds that each takes
 *
 * Exit codes: 0 all held, 1 something did not hold or took too long, 3 no containers can be had here (the reason is printed).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inOwnNamespaces, removeLeftovers, rootFilesystem, whyNoContainers } from '@drover/cloud-machines/linux';
import { reasonWithoutOriginal } from '../packages/simulation/test/machines/linux/runner-release.ts';
import type { Story } from '../packages/simulation/test/machines/stories.ts';
import { serveArchives } from './machines/archives.ts';
import { elasticsearchRepository } from './machines/elasticsearch/build-package.ts';

const folderPrefix = 'drover-machines-';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

let running: ChildProcess | undefined;
/** How much longer everything may take here. */
let slower = 1;

/** Fetches what a machine cannot, because nothing leads out of its network. */
async function prepare(wanted: readonly Story[]): Promise<void> {
  // Machines get the programs as packaged.
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  execFileSync(process.execPath, ['packages/constructs/src/boot/fetch-node.mjs', 'x86_64'], { stdio: 'inherit' });
  const { runnerFilesystem } = await import('../packages/simulation/test/machines/linux/image.ts');
  for (const { filesystem = runnerFilesystem } of wanted)
    for (const each of [filesystem].flat()) await rootFilesystem(each, console.log);
  if (wanted.some(({ elasticsearch }) => elasticsearch))
    process.env.DROVER_ELASTICSEARCH_REPOSITORY = await elasticsearchRepository(console.log);
}

/** Seconds after which a story has failed. */
const limitOf = (seconds: number): number => seconds * 1.5 * slower;

/** Resolves with the exit code, undefined when the time is up. Its namespaces end with it, and everything in them. */
function runFile({ name, seconds }: Story, folder: string, reportFile: string): Promise<number | undefined> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config=scripts/machines/vitest.config.ts'];
  const reports = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${reportFile}`];
  const folders = ['packages/simulation/test/machines', 'packages/simulation/test/machines/runner'];
  const file = folders.map((each) => `${each}/${name}.story.ts`).find((each) => existsSync(each))!;
  const [unshare, ...args] = inOwnNamespaces(process.execPath, ...vitest, ...reports, file);
  const env = { ...process.env, DROVER_MACHINES_FOLDER: folder, DROVER_SLOWER: String(slower) };
  const child = spawn(unshare, args, { env, stdio: 'inherit' });
  running = child;
  return new Promise((resolve) => {
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, limitOf(seconds) * 1000);
    child.on('close', (code) => {
      clearTimeout(limit);
      running = undefined;
      resolve(late ? undefined : (code ?? 1));
    });
  });
}

async function runStory(story: Story, folder: string, counts: Counts): Promise<void> {
  const reason = story.original ? reasonWithoutOriginal() : '';
  if (reason !== '') {
    console.log(`\n== ${story.name}: ${reason}`);
    counts.skipped += 1;
    return;
  }
  const startedAt = performance.now();
  console.log(`\n== ${story.name}: at most ${limitOf(story.seconds)} s`);
  // In this launcher's folder: two can run side by side in one checkout.
  const reportFile = join(folder, 'report.json');
  rmSync(reportFile, { force: true });
  const code = await runFile(story, folder, reportFile);
  const nothing: Report = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
  const report = existsSync(reportFile) ? (JSON.parse(readFileSync(reportFile, 'utf8')) as Report) : nothing;
  counts.passed += report.numPassedTests;
  counts.skipped += report.numPendingTests;
  // A file that fails outside its tests, or is killed, counts as one failure.
  counts.failed += code === 0 ? 0 : Math.max(1, report.numFailedTests);
  const how = code === undefined ? `not finished within ${limitOf(story.seconds)} s` : code === 0 ? 'passed' : 'failed';
  console.log(`== ${story.name}: ${how} after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

async function chosen(): Promise<readonly Story[]> {
  const options = {
    core: { type: 'boolean' },
    all: { type: 'boolean' },
    list: { type: 'boolean' },
    only: { type: 'string' },
    slower: { type: 'string' },
    root: { type: 'string' },
  } as const;
  const { values } = parseArgs({ options });
  const { core = false, all = false, only = '', list = false } = values;
  slower = Number(values.slower ?? process.env.DROVER_SLOWER ?? 1);
  // Read where the roots of machines are described, so that comes after it.
  if (values.root !== undefined) process.env.DROVER_ROOT = values.root;
  const { stories } = await import('../packages/simulation/test/machines/stories.ts');
  const unnamed = only === '' && !list && !all;
  const found = stories.filter(
    (story) => (!core || story.core) && !(unnamed && story.byName) && story.name.startsWith(only),
  );
  if (found.length === 0)
    throw new Error(`no story begins with ${only}; there are ${stories.map(({ name }) => name).join(', ')}`);
  if (!list) return found;
  for (const { name, seconds, core, byName, about } of found)
    console.log(`${name}${core ? ' (core)' : byName ? ' (by name only)' : ''}, ${seconds} s: ${about}`);
  process.exit(0);
}

/** Folders of runs that ended without clearing up: their owner is not there any more. */
function clearUpAfterOthers(): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(folderPrefix))) {
    const folder = join(tmpdir(), name);
    const owner = join(folder, 'owner');
    if (!existsSync(owner) || readFileSync(owner, 'utf8') !== startOf(readFileSync(owner, 'utf8').split(' ')[0]!))
      rmSync(folder, { recursive: true, force: true });
  }
  removeLeftovers();
}

/** A process id comes round again; with the time of its start it is unique. */
function startOf(pid: string): string | undefined {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) ? `${pid} ${readFileSync(file, 'utf8').split(') ')[1]!.split(' ')[19]}` : undefined;
}

async function main(): Promise<number> {
  const wanted = await chosen();
  const reason = await whyNoContainers();
  if (reason !== undefined) {
    console.error(`No machines can be had here: ${reason}`);
    console.log(`0 passed, 0 failed, ${wanted.length} skipped`);
    return 3;
  }
  clearUpAfterOthers();
  const folder = mkdtempSync(join(tmpdir(), folderPrefix));
  writeFileSync(join(folder, 'owner'), startOf(String(process.pid))!);
  const end = () => {
    running?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    removeLeftovers();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));
  process.once('exit', end);
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  await prepare(wanted);
  process.env.DROVER_ARCHIVES = join(folder, 'archives');
  await serveArchives(process.env.DROVER_ARCHIVES);
  for (const story of wanted) await runStory(story, folder, counts);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

process.exit(await main());

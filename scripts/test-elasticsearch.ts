/**
 * Holds the embedded cluster's contract suite against a real Elasticsearch.
 *
 *   ELASTICSEARCH_URL=https://user:password@host:9200 npm run test:elasticsearch    a server that runs: not one with
 * data
 *   ELASTICSEARCH_HOME=/path/to/elasticsearch npm run test:elasticsearch            boots three nodes of it on loopback
 *   npm run test:elasticsearch                                                      boots Elastic's test distribution,
 * by Maven, with stand-ins for what it lacks
 *   npm run test:elasticsearch -- --record [options of vitest]                      its responses become the expected
 * ones
 *
 *   npm run test:elasticsearch -- --all                                             upgrades five nodes of earlier
 * versions as well, many minutes; `--upgrades`: only that
 *
 * On nodes that it has booted it runs our own commands as well, unless options of vitest choose cases of the suite.
 *
 * Exit codes: 0 all held, 1 something did not hold, 3 no server can be had here (the reason is printed).
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAll } from './build/all.ts';
import { type LocalCluster, localCluster } from './elasticsearch/cluster.ts';
import { NoServer, slower } from './elasticsearch/commands.ts';
import { installedDistribution, publishedDistribution } from './elasticsearch/distribution.ts';
import { nodeService } from './elasticsearch/node-service.ts';
import { type UpgradePlan, upgradePlan } from './elasticsearch/upgrade.ts';

/** Runs of vitest, one after the other: the suite, and our own commands on the same nodes. */
const contractSuite = ['cloud/elasticsearch/test/contract'];
const programs = ['--config=scripts/elasticsearch/vitest.config.ts'];
const upgrades = ['--config=scripts/elasticsearch/upgrade.config.ts'];
const ours = ['--record', '--all', '--upgrades'];
const reportFile = '.cache/elasticsearch-report.json';

/** The suite takes about four minutes on two cores, an upgrade of five nodes about three. */
const suiteMs = 720_000;
const upgradesMs = 2_400_000;

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

/** The address of a server that runs, with the credentials in it. */
function givenServer({ ELASTICSEARCH_URL: address, ...env }: NodeJS.ProcessEnv): string | undefined {
  if (address === undefined) return undefined;
  const url = new URL(address);
  if (env.ELASTICSEARCH_USERNAME !== undefined) url.username = encodeURIComponent(env.ELASTICSEARCH_USERNAME);
  if (env.ELASTICSEARCH_PASSWORD !== undefined) url.password = encodeURIComponent(env.ELASTICSEARCH_PASSWORD);
  return url.href;
}

/** Facts about a server that was booted here. */
interface Booted {
  readonly restartUrl: string;
  readonly addresses: readonly string[];
  /** Versions that can be installed, in the order of an upgrade. */
  readonly path?: readonly string[];
}

async function runSuite(url: string, args: readonly string[], booted?: Booted): Promise<Report> {
  const rest = args.filter((arg) => !ours.includes(arg));
  const held = await runVitest(url, [...contractSuite, ...rest], args.includes('--record'), booted);
  if (booted === undefined || rest.length > 0) return held;
  const ran = await runVitest(url, programs, false, booted);
  return together(held, ran);
}

const together = (one: Report, other: Report): Report => ({
  numPassedTests: one.numPassedTests + other.numPassedTests,
  numFailedTests: one.numFailedTests + other.numFailedTests,
  numPendingTests: one.numPendingTests + other.numPendingTests,
});

/** A run that ends badly without a failed test counts as one. */
async function runVitest(url: string, what: readonly string[], recording: boolean, booted?: Booted): Promise<Report> {
  rmSync(reportFile, { force: true });
  mkdirSync('.cache', { recursive: true });
  const env = {
    ...process.env,
    DROVER_CONTRACT_ELASTICSEARCH: url,
    ...(booted === undefined
      ? {}
      : {
          DROVER_CONTRACT_RESTART: booted.restartUrl,
          DROVER_CONTRACT_PORTS: booted.addresses.map((address) => new URL(address).port).join(','),
          DROVER_REAL_NODES: booted.addresses.join(','),
          DROVER_REAL_PATH: (booted.path ?? []).join(','),
        }),
    DROVER_CONTRACT_RECORD: String(recording),
  };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...what];
  // One server: cases that change the cluster's settings must not meet.
  const how = ['--no-file-parallelism', '--reporter=verbose', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn(process.execPath, [...vitest, ...how], {
    env,
    stdio: 'inherit',
    timeout: (what === upgrades ? upgradesMs : suiteMs) * slower,
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const nothing = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
  const report = existsSync(reportFile) ? (JSON.parse(readFileSync(reportFile, 'utf8')) as Report) : nothing;
  return code !== 0 && report.numFailedTests === 0 ? { ...report, numFailedTests: 1 } : report;
}

/** Closes with one plain line of counts, as `npm test` does. */
function sumUp(report: Report, startedAt: number): number {
  console.log(`Against a real Elasticsearch in ${seconds(startedAt)}`);
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`);
  return report.numFailedTests > 0 || report.numPassedTests === 0 ? 1 : 0;
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** Boots nodes in a folder of their own, outside the checkout: they run as a user who may not be able to read that. */
async function withNodes(
  plan: (folder: string) => Promise<Pick<UpgradePlan, 'cluster'> & Partial<UpgradePlan>>,
  act: (cluster: LocalCluster, booted: Booted) => Promise<Report>,
): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-elasticsearch-'));
  let cluster: LocalCluster | undefined;
  const end = async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void end().then(() => process.exit(1)));
  try {
    const { versions, path, ...planned } = await plan(folder);
    cluster = planned.cluster;
    const startedAt = performance.now();
    await cluster.boot();
    console.log(`Booted in ${seconds(startedAt)}`);
    const service = await nodeService(cluster, versions);
    const booted = { restartUrl: service.url, addresses: cluster.addresses, ...(path === undefined ? {} : { path }) };
    return await act(cluster, booted).finally(() => service.close());
  } catch (error) {
    if (cluster !== undefined) console.error(cluster.logs());
    throw error;
  } finally {
    await end();
  }
}

async function runOnBooted(args: readonly string[]): Promise<Report> {
  return await withNodes(
    async (folder) => {
      const home = process.env.ELASTICSEARCH_HOME;
      const distribution = home === undefined ? await publishedDistribution(folder) : installedDistribution(home);
      console.log(`Booting three nodes of ${distribution.home}`);
      return { cluster: await localCluster(distribution, folder) };
    },
    (cluster, booted) => runSuite(cluster.url, args, booted),
  );
}

/** The driver of upgrades on five nodes of an earlier version. */
async function runUpgrades(): Promise<Report> {
  // The stack's functions.
  await buildAll();
  return await withNodes(
    async (folder) => {
      const plan = await upgradePlan(folder);
      if (plan.ends !== undefined) console.log(plan.ends);
      console.log(`Booting five nodes of ${plan.path[0]}, to be upgraded to ${plan.path.slice(1).join(', then ')}`);
      return plan;
    },
    (cluster, booted) => runVitest(cluster.url, upgrades, false, booted),
  );
}

async function runAll(args: readonly string[]): Promise<Report> {
  if (args.includes('--upgrades')) return await runUpgrades();
  const held = await runOnBooted(args);
  return args.includes('--all') ? together(held, await runUpgrades()) : held;
}

async function main(): Promise<number> {
  const startedAt = performance.now();
  const args = process.argv.slice(2);
  try {
    const server = givenServer(process.env);
    return sumUp(server === undefined ? await runAll(args) : await runSuite(server, args), startedAt);
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    console.error(`No Elasticsearch can be had here: ${error.message}`);
    return 3;
  }
}

process.exit(await main());

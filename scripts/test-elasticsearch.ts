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
 * On nodes that it has booted it runs our own commands as well, unless options of vitest choose cases of the suite.
 *
 * Exit codes: 0 all held, 1 something did not hold, 3 no server can be had here (the reason is printed).
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalCluster, localCluster } from './elasticsearch/cluster.ts';
import { NoServer, slower } from './elasticsearch/commands.ts';
import { installedDistribution, publishedDistribution } from './elasticsearch/distribution.ts';

/** Runs of vitest, one after the other: the suite, and our own commands on the same nodes. */
const contractSuite = ['cloud/elasticsearch/test/contract'];
const programs = ['--config=scripts/elasticsearch/vitest.config.ts'];
const reportFile = '.cache/elasticsearch-report.json';

/** The suite takes about four minutes on two cores. */
const suiteMs = 720_000;

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

/** Serves the suite's requests for a restart of all nodes at its root, and for one node at `/stop/3` and `/start/3`. */
async function restartService(cluster: LocalCluster): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const [, what, number] = (request.url ?? '').split('/');
    const act =
      what === 'stop'
        ? cluster.stopOne(Number(number))
        : what === 'start'
          ? cluster.startOne(Number(number))
          : cluster.restart();
    act.then(
      () => response.end(),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Facts about a server that was booted here. */
interface Booted {
  readonly restartUrl: string;
  readonly ports: readonly number[];
}

async function runSuite(url: string, args: readonly string[], booted?: Booted): Promise<Report> {
  const rest = args.filter((arg) => arg !== '--record');
  const held = await runVitest(url, [...contractSuite, ...rest], args.includes('--record'), booted);
  if (booted === undefined || rest.length > 0) return held;
  const ran = await runVitest(url, programs, false, booted);
  return {
    numPassedTests: held.numPassedTests + ran.numPassedTests,
    numFailedTests: held.numFailedTests + ran.numFailedTests,
    numPendingTests: held.numPendingTests + ran.numPendingTests,
  };
}

/** A run that ends badly without a failed test counts as one. */
async function runVitest(url: string, what: readonly string[], recording: boolean, booted?: Booted): Promise<Report> {
  rmSync(reportFile, { force: true });
  mkdirSync('.cache', { recursive: true });
  const env = {
    ...process.env,
    DROVER_CONTRACT_ELASTICSEARCH: url,
    ...(booted === undefined
      ? {}
      : { DROVER_CONTRACT_RESTART: booted.restartUrl, DROVER_CONTRACT_PORTS: booted.ports.join(',') }),
    DROVER_CONTRACT_RECORD: String(recording),
  };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...what];
  // One server: cases that change the cluster's settings must not meet.
  const how = ['--no-file-parallelism', '--reporter=verbose', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn(process.execPath, [...vitest, ...how], {
    env,
    stdio: 'inherit',
    timeout: suiteMs * slower,
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

/** Nodes in a folder of their own, outside the checkout: they run as a user who may not be able to read that. */
async function plan(folder: string): Promise<LocalCluster> {
  const home = process.env.ELASTICSEARCH_HOME;
  const distribution = home === undefined ? await publishedDistribution(folder) : installedDistribution(home);
  console.log(`Booting three nodes of ${distribution.home}`);
  return await localCluster(distribution, folder);
}

async function runOnBooted(args: readonly string[]): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-elasticsearch-'));
  let cluster: LocalCluster | undefined;
  const end = async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void end().then(() => process.exit(1)));
  try {
    cluster = await plan(folder);
    const startedAt = performance.now();
    await cluster.boot();
    console.log(`Booted in ${seconds(startedAt)}`);
    const restarts = await restartService(cluster);
    return await runSuite(cluster.url, args, { restartUrl: restarts.url, ports: cluster.ports }).finally(() =>
      restarts.close(),
    );
  } catch (error) {
    if (cluster !== undefined) console.error(cluster.logs());
    throw error;
  } finally {
    await end();
  }
}

async function main(): Promise<number> {
  const startedAt = performance.now();
  const args = process.argv.slice(2);
  try {
    const server = givenServer(process.env);
    return sumUp(server === undefined ? await runOnBooted(args) : await runSuite(server, args), startedAt);
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    console.error(`No Elasticsearch can be had here: ${error.message}`);
    return 3;
  }
}

process.exit(await main());

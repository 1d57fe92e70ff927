import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClusterCli } from '../scripts/build/cluster-cli.ts';
import { atMost, type Figures, informative, median } from './figures.ts';

const rounds = 21;

/** The same request as a minimal Node script: the baseline of the ratios. */
const plainHealth = `const http = require('node:http');
http.get({ host: '127.0.0.1', port: +process.argv[2], path: '/_cluster/health' }, (answer) => answer.pipe(process.stdout));`;
const plainMetadata = `const http = require('node:http');
const ask = (method, path, headers, then) =>
  http.request({ method, host: '127.0.0.1', port: +process.argv[2], path, headers }, (answer) => {
    let text = '';
    answer.on('data', (chunk) => { text += chunk; }).on('end', () => then(text));
  }).end();
ask('PUT', '/latest/api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '60' }, (token) =>
  ask('GET', '/latest/meta-data/autoscaling/target-lifecycle-state', { 'x-aws-ec2-metadata-token': token }, () => process.exit(0)));`;
/** Writes the peak of the process's memory beside it. */
const memoryHook = `process.on('exit', () => require('node:fs').writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)));`;

interface Bench {
  readonly folder: string;
  readonly port: number;
  readonly command: string;
}

/** Start-up and streaming of the built command, as ratios against the least possible in the same run. */
export async function benchClusterCli(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-cluster-cli-'));
  const server = await startServer();
  try {
    const bench = { folder, port: server.port, command: await buildClusterCli() };
    for (const [name, source] of Object.entries({ plainHealth, plainMetadata, memoryHook, empty: '' }))
      writeFileSync(join(folder, `${name}.cjs`), source);
    return { ...(await measureTimes(bench)), ...(await measureMemory(bench)) };
  } finally {
    server.child.disconnect();
    rmSync(folder, { recursive: true });
  }
}

async function measureTimes(bench: Bench): Promise<Figures> {
  const script = (name: string) => [process.execPath, join(bench.folder, `${name}.cjs`), String(bench.port)];
  const cron =
    '--quiet cluster decommission-node --only-if-terminating --reason instance_refresh --complete-lifecycle-action --wait-until-complete 172800';
  const times = await measure(bench, {
    empty: script('empty'),
    plainHealth: script('plainHealth'),
    health: cli(bench, 'cluster-health'),
    plainMetadata: script('plainMetadata'),
    cron: cli(bench, cron),
    curl: ['curl', '-s', `http://127.0.0.1:${bench.port}/_cat/shards?v=true`],
    shards: cli(bench, 'cat shards'),
  });
  const ratio = (value: (round: number) => number) => Math.round(median(range(rounds).map(value)) * 100) / 100;
  const of = (name: string) => (round: number) => times[name]![round]!;
  const [empty, curl, shards] = [of('empty'), of('curl'), of('shards')];
  return {
    'cluster-cli.health_ratio': atMost(
      ratio((round) => of('health')(round) / of('plainHealth')(round)),
      1.3,
      'x a bare Node script',
    ),
    'cluster-cli.cron_noop_ratio': atMost(
      ratio((round) => of('cron')(round) / of('plainMetadata')(round)),
      1.3,
      'x a bare Node script',
    ),
    // Whole processes; which part of it is Node's own start is printed below (docs/decisions/0014).
    'cluster-cli.cat_shards_ratio': atMost(
      ratio((round) => shards(round) / curl(round)),
      5,
      'x curl to a file',
    ),
    'cluster-cli.cat_shards_start_ratio': informative(
      ratio((round) => empty(round) / curl(round)),
      'x curl to a file, for an empty Node process',
    ),
    'cluster-cli.cat_shards_streaming_ratio': informative(
      ratio((round) => (shards(round) - empty(round)) / curl(round)),
      'x curl to a file, without the start of Node',
    ),
  };
}

const cli = ({ command, port }: Bench, line: string) => [
  process.execPath,
  command,
  '--es-host',
  '127.0.0.1',
  '--es-port',
  String(port),
  ...line.split(' '),
];

const range = (length: number) => Array.from({ length }, (_, at) => at);

/** Every command in turn, so that a busy moment strikes all alike; ratios are taken round by round. */
async function measure(
  bench: Bench,
  commands: Readonly<Record<string, readonly string[]>>,
): Promise<Record<string, number[]>> {
  const times = Object.fromEntries(Object.keys(commands).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, words] of Object.entries(commands)) times[name]!.push(await timed(bench, words));
  return times;
}

async function timed(
  bench: Bench,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const out = openSync(join(bench.folder, 'out'), 'w');
  const startedAt = performance.now();
  const child = spawn(words[0]!, words.slice(1), {
    stdio: ['ignore', out, 'inherit'],
    env: { PATH: process.env.PATH ?? '', AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${bench.port}`, ...env },
  });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
  return performance.now() - startedAt;
}

async function measureMemory(bench: Bench): Promise<Figures> {
  const peak = async (words: readonly string[]) => {
    const file = join(bench.folder, 'peak');
    await timed(bench, words, { PEAK_FILE: file, NODE_OPTIONS: `--require ${join(bench.folder, 'memoryHook.cjs')}` });
    return Number(readFileSync(file, 'utf8')) / 1024;
  };
  const idle = await peak([process.execPath, join(bench.folder, 'empty.cjs')]);
  const busy = await peak(cli(bench, 'cat shards'));
  return { 'cluster-cli.cat_shards_rss': atMost(Math.round(busy - idle), 80, 'MB above an idle process') };
}

async function startServer(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(fileURLToPath(new URL('servers/cluster-cli-server.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await benchClusterCli());

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { serveAws } from '@drover/cloud-aws';
import { loadIntoProcess } from '@drover/cloud-aws/testing';
import { serveCodeHost } from '@drover/cloud-github';
import { VirtualClock } from '@drover/core';
import { functionName, smallFleet, typeGroupName } from '@drover/core/names/runner-fleet';
import { DeployedFleet } from '@drover/stage/fleet';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { buildAll } from '../../scripts/build/all.ts';
import { nodeFolder } from '../../scripts/node/nodes.ts';
import { atMost, type Figures, informative } from '../figures.ts';
import { onWindowEnd, untilWindowEnds } from './window-ends.ts';

const minute = 60_000;
/** A fleet as it is measured: its groups, and the hosts of each. */
interface Size {
  readonly types: readonly string[];
  readonly hosts: number;
}
/** Jobs of each type that come while the function is measured, and as many end. */
const burst = 5;
const windows = 2;
/** On a busy machine time has to pass more slowly, for the function and for the world. */
const speed = Number(process.env.DROVER_BENCH_SPEED ?? 1);
const groupName = 'runners';
const twentyTypes: Size = { types: Array.from({ length: 20 }, (_, index) => `type-${index + 1}`), hosts: 50 };
/** The largest fleet whose window has 128 MB. */
const oneGroup: Size = { types: [], hosts: smallFleet };
const groupsOf = ({ types }: Size) =>
  types.length === 0 ? [groupName] : types.map((type) => typeGroupName(groupName, type));
const demand = functionName(groupName, 'demand');

const limits = { megabytes: 110, gzipBytes: 30 * 1024 };

/**
 * Lambda starts Node with a twentieth of the function's memory for young objects and nine tenths for old ones (its processes show
 * `--max-semi-space-size=150 --max-old-space-size=2707` with 3,008 MB); without them Node takes what the machine has.
 */
const memoryMb = 128;
const asInLambda = `--max-semi-space-size=${Math.floor(memoryMb * 0.05)} --max-old-space-size=${Math.floor(memoryMb * 0.9)}`;

/**
 * The packaged function on the Node that Lambda has, in a process of its own, against the embedded services over HTTP in real time: whole
 * windows of 20 sessions with 50 busy hosts each. Jobs come and end in each of them.
 */
export async function benchTypesFunction(): Promise<Figures> {
  const measured = await measureFunctions(twentyTypes);
  const bundle = readFileSync(fileURLToPath(new URL('../../apps/functions/dist/demand/index.js', import.meta.url)));
  return {
    'fleet.types.function.rss': atMost(measured.peakMb.demand!, limits.megabytes, 'MB'),
    'fleet.types.function.windows_failed': atMost(windows - measured.succeeded, 0, 'windows'),
    'fleet.types.function.requests': informative(measured.requests / windows, 'requests/window'),
    'fleet.types.function.gzip_bytes': atMost(gzipSync(bundle, { level: 9 }).length, limits.gzipBytes, 'bytes'),
  };
}

/** The memory of each function of a fleet with one group: that of `demand` decides how much it is given. */
export async function benchFunctionMemory(): Promise<Figures> {
  const { peakMb, succeeded } = await measureFunctions(oneGroup);
  const figure = ([suffix, peak]: [string, number]) =>
    [
      `fleet.memory.${suffix}`,
      suffix === 'demand' ? atMost(peak, limits.megabytes, 'MB') : informative(peak, 'MB'),
    ] as const;
  return {
    ...Object.fromEntries(Object.entries(peakMb).map(figure)),
    'fleet.memory.windows_failed': atMost(windows - succeeded, 0, 'windows'),
  };
}

async function measureFunctions(size: Size) {
  process.env.CDK_VALIDATION = 'false';
  await buildAll();
  const clock = new VirtualClock();
  const platformApi = `http://127.0.0.1:${await freePort()}`;
  const { types } = size;
  const machine = { asgMinSize: 0, asgMaxSize: size.hosts + 2 * burst, idleRunnersTargetCount: 0 };
  const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-bench-')), {
    groupName,
    scalingMode: 'jobs',
    warmPoolMaxSize: 0,
    platformApi,
    ...machine,
    types: Object.fromEntries(types.map((type) => [type, machine])),
  });
  const fleet = new DeployedFleet({ assembly, groupName, types, clock, transport: 'direct', platformApi });
  const served = [
    await serveAws(fleet.world),
    await serveCodeHost(fleet.codeHost, { port: Number(new URL(platformApi).port) }),
  ] as const;
  try {
    await fleet.deploy();
    await fill(fleet, size);
    return await measureWindows(fleet, size, clock, served[0].url);
  } finally {
    fleet.world.operate.stopFunctions();
    for (const server of served) await server.close();
  }
}

function enqueue(fleet: DeployedFleet, size: Size, count: number, durationMs: number): void {
  for (const group of groupsOf(size))
    for (let job = 0; job < count; job++) fleet.codeHost.registry.queue.enqueue({ durationMs, runsOn: [group] });
}

/** All hosts have a job, some of which end while the function is measured. */
async function fill(fleet: DeployedFleet, size: Size): Promise<void> {
  enqueue(fleet, size, size.hosts - burst, 10 * 60 * minute);
  await fleet.drive(fleet.clock.sleep(30 * minute), 60 * minute);
  for (let job = 0; job < burst; job++) enqueue(fleet, size, 1, (21 + job) * minute);
  await fleet.drive(fleet.clock.sleep(24 * minute), 60 * minute);
  await untilWindowEnds(fleet);
  const { counts, waiting } = fleet.codeHost.registry.queue;
  if (waiting.length > 0) throw new Error(`${waiting.length} jobs still wait: ${JSON.stringify(counts)}`);
}

async function measureWindows(fleet: DeployedFleet, size: Size, clock: VirtualClock, endpointUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  const began = { world: clock.now(), real: Date.now() };
  const passed = () => (Date.now() - began.real) * speed;
  // The process has the world's time, and says who it is.
  const preload = join(folder, 'preload.cjs');
  writeFileSync(
    preload,
    `const now = Date.now; Date.now = () => ${began.world} + Math.floor((now() - ${began.real}) * ${speed});
const timer = setTimeout; setTimeout = (act, ms, ...given) => timer(act, ms / ${speed}, ...given);
require('node:fs').writeFileSync(${JSON.stringify(folder)} + '/' + process.env.AWS_LAMBDA_FUNCTION_NAME + '-' + process.pid, '');`,
  );
  const { operate, engine } = fleet.world;
  const node = join(nodeFolder('24'), 'node');
  const inProcess = loadIntoProcess({
    endpointUrl,
    node,
    environment: { NODE_OPTIONS: `${asInLambda} --require=${preload}` },
  });
  operate.runFunctionsWith(() => true, inProcess);
  operate.stopFunctions();
  const ended: { readonly name: string; readonly durationMs: number }[] = [];
  let requests = 0;
  engine.journal.subscribe(({ kind, subject, detail }) => {
    if (kind === 'request' && (String(detail?.by).endsWith(demand) || subject === demand)) requests += 1;
  });
  onWindowEnd(fleet, ({ name, durationMs }) => ended.push({ name, durationMs }));
  for (let window = 0; window < windows; window++)
    clock.after(window * minute + 20_000, () => enqueue(fleet, size, burst, minute));
  while (ended.length < windows && passed() < (windows + 2) * minute) {
    await clock.advanceTo(began.world + passed());
    await pause(5);
  }
  const failed = fleet.world.observe
    .logLines(`/aws/lambda/${demand}`)
    .filter((line) => /"level":"error"|Timedout/.test(line));
  if (ended.some(({ name }) => name !== 'succeeded')) console.error(failed.slice(0, 5).join('\n'));
  const peakMb: Record<string, number> = {};
  for (const file of readdirSync(folder).filter((name) => name.startsWith(groupName))) {
    const [, suffix = '', pid] = /_(\w+)-(\d+)$/.exec(file) ?? [];
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    peakMb[suffix] = Math.max(peakMb[suffix] ?? 0, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
  }
  // One that ends early has watched nothing.
  const succeeded = ended.filter(({ name, durationMs }) => name === 'succeeded' && durationMs > 40_000).length;
  return { peakMb, succeeded, requests };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

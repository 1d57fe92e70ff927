import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LocalWorld } from '../../packages/local/src/local/local-world.ts';
import { synthesise } from '../../packages/local/src/local/synthesise.ts';
import { buildAll } from '../../scripts/build/all.ts';
import { atMost, type Figures, informative } from '../figures.ts';
import { benchResume } from './resume.ts';

const minute = 60_000;
const mebibyte = 1024 ** 2;

/** Figures of `drover local` whose names begin with `only`, or could: its memory, and what resuming costs. */
export async function benchLocal(only: string): Promise<Figures> {
  const chosen = (prefix: string) => prefix.startsWith(only) || only.startsWith(prefix);
  await buildAll();
  return {
    ...(chosen('local.resume') ? await benchResume(openWorld, Number(process.env.DROVER_BENCH_DAYS ?? 1)) : {}),
    ...(chosen('local.memory') ? await benchMemory() : {}),
  };
}

/**
 * `drover local` left alone for a simulated week: how much its heap grows in the second half. `DROVER_BENCH_DAYS` makes
 * the week shorter or longer; the unit of the figure says how long it was.
 */
async function benchMemory(): Promise<Figures> {
  const days = Number(process.env.DROVER_BENCH_DAYS ?? 7);
  const local = await openWorld();
  const before = process.cpuUsage().user;
  const heaps: number[] = [];
  for (let quarter = 0; quarter < 4 * days; quarter++) {
    await passSixHours(local);
    heaps.push(bytesAfterCollection());
    console.error(`  day ${((quarter + 1) / 4).toFixed(2)}: ${(heaps.at(-1)! / mebibyte).toFixed(1)} MiB`);
  }
  const middle = heaps[Math.floor(heaps.length / 2) - 1]!;
  const end = heaps.at(-1)!;
  return {
    'local.memory_growth': atMost((100 * (end - middle)) / middle, 10, `% in ${days / 2} d`),
    'local.memory_heap': informative(end / mebibyte, `MiB at ${days} d`),
    'local.memory_cpu': informative((process.cpuUsage().user - before) / 1e6, `s for ${days} d`),
  };
}

async function openWorld(quickReplay = false): Promise<LocalWorld> {
  const platformApi = 'http://127.0.0.1:8602';
  const deployment = await synthesise({ platformApi, onDemandBaseCapacity: undefined });
  await LocalWorld.preload();
  const local = new LocalWorld({
    deployment,
    quickReplay,
    seed: 'memory',
    startedAt: Date.UTC(2026, 5, 1),
    speed: 60,
    jobsPerHour: 30,
    realNow: () => 0,
    realSleep: async () => {},
  });
  await local.deploy();
  return local;
}

/** A page watches meanwhile. */
async function passSixHours(local: LocalWorld): Promise<void> {
  for (let tens = 0; tens < 36; tens++) {
    await local.clock.advance(10 * minute);
    await local.readState(tens % 6 === 0);
  }
}

/** Bytes that are alive: the heap, and what its buffers hold outside of it. */
function bytesAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

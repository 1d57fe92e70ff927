import { fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@drover/core';
import { type FleetProps, synthesiseFleet } from '@drover/stage/fleet-template';
import { percentile } from '../../packages/local/src/what-if/replay/figures.ts';
import { buildAll } from '../../scripts/build/all.ts';
import { bundleWorker } from '../../scripts/campaign/bundle-worker.ts';
import { atMost, type Figures, informative } from '../figures.ts';
import type { DayToMeasure, MeasuredDay, PlannedJob } from './types-day.ts';

const minute = 60_000;
const hour = 60 * minute;
/** `DROVER_BENCH_HOURS` makes the day shorter: a multiple of 6. */
const hours = Number(process.env.DROVER_BENCH_HOURS ?? 24);
const names = Array.from({ length: 20 }, (_, index) => `type-${index + 1}`);
const troubled = { held: names[0]!, empty: names[1]!, removed: names[2]! };
/** No one asks for the type any more an hour before its key leaves. */
const leftAt = (hours / 2 - 1) * hour;

const machine = { asgMinSize: 0, asgMaxSize: 10, idleRunnersTargetCount: 0 };
const common = { groupName: 'runners', scalingMode: 'jobs', warmPoolMaxSize: 0, ...machine } satisfies FleetProps;

/**
 * A day with bursts of 20 types in one fleet, the same jobs of each type on a fleet of its own, and the day of the one fleet again with three
 * types in trouble. A process a core. Only by name, because it takes long.
 */
export async function benchTypes(): Promise<Figures> {
  process.env.CDK_VALIDATION = 'false';
  await buildAll();
  const worker = await bundleWorker('bench/fleet/types-day.ts');
  const plans = new Map(names.map((name) => [name, planOf(name)]));
  const all = [...plans].flatMap(([type, jobs]) => jobs.map((job) => ({ ...job, type })));
  const ofTypes = (types: readonly string[]) =>
    assembled({ ...common, types: Object.fromEntries(types.map((type) => [type, machine])) });
  const together: DayToMeasure = { assembly: ofTypes(names), types: names, jobs: all, hours };
  const rest = names.filter((name) => name !== troubled.removed);
  const inTrouble: DayToMeasure = {
    ...together,
    // No one asks for a type that is about to be removed.
    jobs: all.map((job) => (job.type === troubled.removed && job.at > leftAt ? { ...job, type: undefined } : job)),
    troubles: { ...troubled, assembly: ofTypes(rest) },
  };
  const alone = assembled(common);
  const days = [
    together,
    inTrouble,
    ...[...plans].map(([standsFor, jobs]) => ({ assembly: alone, types: [], standsFor, jobs, hours })),
  ];
  const [fleet, disturbed, ...apart] = (await measureAll(worker, days)) as [MeasuredDay, MeasuredDay, ...MeasuredDay[]];
  const p95 = (waits: readonly (number | undefined)[]) =>
    percentile(
      waits.map((wait) => wait ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b),
      95,
    ) / 1000;
  const ofType = ({ waitsMs }: MeasuredDay, type: string) =>
    p95(waitsMs.filter((_, index) => all[index]!.type === type));
  const compared = names.map((type, index) => ({ type, own: p95(apart[index]!.waitsMs), one: ofType(fleet, type) }));
  for (const { type, own, one } of compared) console.error(`${type}: p95 ${one} s, ${own} s in a fleet of its own`);
  const undisturbed = rest.slice(2).map((type) => ({ own: ofType(fleet, type), one: ofType(disturbed, type) }));
  const slower = (pairs: readonly { readonly own: number; readonly one: number }[]) =>
    pairs.filter(({ own, one }) => one > Math.max(own * 1.05, own + 5)).length;
  return {
    'fleet.types.demand_functions': atMost(fleet.demandFunctions, 1, 'functions'),
    'fleet.types.slower_than_own_fleet': atMost(slower(compared), 0, 'types'),
    'fleet.types.wait_p95': informative(p95(fleet.waitsMs), 'seconds'),
    'fleet.types.wait_p95_own_fleets': informative(p95(apart.flatMap(({ waitsMs }) => waitsMs)), 'seconds'),
    'fleet.types.wait_p95_most_more': informative(Math.max(...compared.map(({ own, one }) => one - own)), 'seconds'),
    'fleet.types.platform_requests': atMost(Math.max(...fleet.requests), 10, 'requests/h'),
    'fleet.types.platform_requests_troubled': atMost(Math.max(...disturbed.requests), 10, 'requests/h'),
    'fleet.types.disturbed_by_troubled': atMost(slower(undisturbed), 0, 'types'),
    'fleet.types.jobs_not_done': atMost(
      [fleet, disturbed].flatMap(({ waitsMs }) => waitsMs).filter((wait) => wait === undefined).length,
      0,
      'jobs',
    ),
  };
}

const assembled = (inputs: FleetProps) => synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-bench-')), inputs);

/** Each hour but the last is quiet, has a few jobs, or a burst in one minute that may be more than the maximum. */
function planOf(name: string): readonly PlannedJob[] {
  const random = new SeededRandom('types').fork(name);
  return Array.from({ length: hours - 1 }, (_, index) => {
    const kind = random.pick(['quiet', 'few', 'few', 'burst'] as const);
    const count = { quiet: 0, few: random.int(1, 5), burst: random.int(5, 14) }[kind];
    const burstAt = random.int(0, 54) * minute;
    return Array.from({ length: count }, () => ({
      at: index * hour + (kind === 'burst' ? burstAt + random.int(0, minute) : random.int(0, 54 * minute)),
      durationMs: random.int(1, 12) * minute,
    }));
  }).flat();
}

async function measureAll(worker: string, days: readonly DayToMeasure[]): Promise<readonly MeasuredDay[]> {
  const measured: MeasuredDay[] = [];
  const waiting = [...days.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      measured[next[0]] = await measure(worker, next[1]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return measured;
}

/** In a process of its own, in plain JavaScript. */
function measure(worker: string, day: DayToMeasure): Promise<MeasuredDay> {
  const child = fork(worker, { execArgv: ['--max-semi-space-size=64'], serialization: 'advanced' });
  child.send(day);
  return new Promise((resolve, reject) => {
    child.once('message', (measured: MeasuredDay) => resolve(measured));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the process of a day ended with ${code}`)));
  });
}

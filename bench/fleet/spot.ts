import { fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@drover/core';
import { type FleetProps, synthesiseFleet } from '@drover/stage/fleet-template';
import { percentile } from '../../packages/local/src/what-if/replay/figures.ts';
import { buildAll } from '../../scripts/build/all.ts';
import { bundleWorker } from '../../scripts/campaign/bundle-worker.ts';
import { atMost, type Figures, informative } from '../figures.ts';
import type { MeasuredWeek, PlannedRun, SpotTrouble, WeekToMeasure } from './spot-week.ts';

const minute = 60_000;
const hour = 60 * minute;
/** `DROVER_BENCH_HOURS` makes the week shorter. */
const hours = Number(process.env.DROVER_BENCH_HOURS ?? 7 * 24);

const common = {
  groupName: 'runners',
  scalingMode: 'jobs',
  warmPoolMaxSize: 0,
  asgMinSize: 0,
  asgMaxSize: 30,
  idleRunnersTargetCount: 0,
  instanceTypes: ['m7a.large', 'm6a.large'],
} satisfies FleetProps;

/** Ten times what EC2 takes back of its types, a storm each working day, and spells without capacity. */
const trouble: SpotTrouble = {
  reclaimsPerDay: 12,
  stormsAt: [10, 34, 59, 82, 105].map((at) => at * hour),
  emptyFrom: [
    { at: 12 * hour, hours: 3 },
    { at: 60 * hour, hours: 6 },
    { at: 106 * hour, hours: 2 },
  ],
};

/**
 * From EC2's notice to the launch that makes up for it: an instance that boots asks for a notice every 5 s, as AWS recommends, the window reads what
 * hosts say every 25 s, and the group takes up to 5 s to launch (decision 118).
 */
const noticedSeconds = 35;

/**
 * The same week of runs on a fleet of spot instances, of which EC2 takes many back and at times has none, and on one of on-demand instances. Only
 * by name, because it takes minutes.
 */
export async function benchSpot(): Promise<Figures> {
  process.env.CDK_VALIDATION = 'false';
  await buildAll();
  const worker = await bundleWorker('bench/fleet/spot-week.ts');
  const runs = plan();
  const spot = { onDemandBaseCapacity: 0, onDemandFallback: true, rerunInterruptedJobs: true };
  const [ours, onDemand] = await Promise.all([
    measure(worker, { assembly: assembled({ ...common, ...spot }), runs, hours, trouble }),
    measure(worker, { assembly: assembled(common), runs, hours }),
  ]);
  const inSeconds = (waits: readonly (number | undefined)[]) =>
    waits.map((wait) => (wait ?? Number.POSITIVE_INFINITY) / 1000).sort((a, b) => a - b);
  const [waits, usual] = [inSeconds(ours.waitsMs), inSeconds(onDemand.waitsMs)];
  // The time before an instance runs is the same for all of them.
  const oneLaunch = 20 + Math.max(ours.longestLaunchMs, onDemand.longestLaunchMs) / 1000;
  const longer = ours.waitsMs.map(
    (wait, index) => ((wait ?? Number.POSITIVE_INFINITY) - onDemand.waitsMs[index]!) / 1000,
  );
  // EC2 may take back what replaces a launch, or what a job that came first was given instead.
  const perLaunch = longer.map((seconds, index) => seconds / Math.max(1, ours.lostLaunches[index]!));
  const mostMore = Math.ceil(oneLaunch + noticedSeconds);
  return {
    'fleet.spot.wait_most_more': atMost(Math.max(...perLaunch), mostMore, 'seconds for each launch that EC2 took'),
    'fleet.spot.wait_most_more_in_all': informative(Math.max(...longer), 'seconds'),
    'fleet.spot.waited_for_two': informative(longer.filter((seconds) => seconds > mostMore).length, 'jobs'),
    'fleet.spot.longest_launch': informative(oneLaunch, 'seconds'),
    'fleet.spot.wait_p95': informative(percentile(waits, 95), 'seconds'),
    'fleet.spot.wait_p95_on_demand': informative(percentile(usual, 95), 'seconds'),
    'fleet.spot.wait_most_second_try': atMost(
      inSeconds(ours.secondWaitsMs).at(-1) ?? 0,
      Math.ceil(2 * oneLaunch),
      'seconds',
    ),
    'fleet.spot.jobs': informative(ours.waitsMs.length, 'jobs'),
    'fleet.spot.interrupted': informative(ours.interrupted, 'jobs'),
    'fleet.spot.interrupted_not_run_again': atMost(ours.notRunAgain, 0, 'jobs'),
    'fleet.spot.run_twice_otherwise': atMost(ours.runTwiceOtherwise, 0, 'jobs'),
    'fleet.spot.lost_twice': informative(ours.lostTwice, 'jobs'),
    'fleet.spot.on_demand_share': informative(
      (100 * ours.onDemandLaunches) / (ours.spotLaunches + ours.onDemandLaunches),
      '% of launches',
    ),
    'fleet.spot.platform_requests': informative(ours.platformRequests / hours, 'requests/h'),
    'fleet.spot.platform_requests_on_demand': informative(onDemand.platformRequests / hours, 'requests/h'),
    'fleet.spot.lost_on_demand': atMost(onDemand.interrupted, 0, 'jobs'),
  };
}

const assembled = (inputs: FleetProps) => synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-bench-')), inputs);

/** Working days have runs all day, nights and the weekend a few. */
function plan(): readonly PlannedRun[] {
  const random = new SeededRandom('spot').fork('plan');
  return Array.from({ length: hours }, (_, index) => {
    const [day, hourOfDay] = [Math.floor(index / 24), index % 24];
    const busy = day < 5 && hourOfDay >= 8 && hourOfDay < 18;
    return Array.from({ length: busy ? random.int(3, 7) : random.int(0, 2) }, () => ({
      at: index * hour + random.int(0, hour),
      jobsMs: Array.from({ length: random.int(1, 4) }, () => random.int(1, 20) * minute),
    }));
  }).flat();
}

/** In a process of its own, in plain JavaScript. */
function measure(worker: string, week: WeekToMeasure): Promise<MeasuredWeek> {
  const child = fork(worker, { execArgv: ['--max-semi-space-size=64'], serialization: 'advanced' });
  child.send(week);
  return new Promise((resolve, reject) => {
    child.once('message', (measured: MeasuredWeek) => resolve(measured));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the process of a week ended with ${code}`)));
  });
}

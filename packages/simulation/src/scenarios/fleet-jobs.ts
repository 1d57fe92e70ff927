import type { FaultRule } from '@drover/cloud-engine';
import { type Random, SeededRandom } from '@drover/core';
import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import { askFleetDoctor } from '@drover/local/truth/real-doctor';
import { DeployedFleet } from '@drover/stage/fleet';
import type { FleetProps } from '@drover/stage/fleet-template';
import type { DayOptions, DayResult } from './fleet-day.ts';
import { type Draw, drawFaults, scheduleMisfortunes } from './fleet-faults.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The kinds of fleet in jobs mode that are simulated; each is synthesised once. */
export const jobsVariants = {
  'from-zero': { asgMinSize: 0, asgMaxSize: 30, idleRunnersTargetCount: 0, warmPoolMaxSize: 0 },
  'warm-pool': { asgMinSize: 0, asgMaxSize: 30, idleRunnersTargetCount: 1, warmPoolMinSize: 3, warmPoolMaxSize: 12 },
  spot: {
    asgMinSize: 1,
    asgMaxSize: 25,
    idleRunnersTargetCount: 2,
    onDemandBaseCapacity: 2,
    instanceTypes: ['t3a.medium', 't3.medium'],
  },
} satisfies Record<string, FleetProps>;

export type JobsVariant = keyof typeof jobsVariants;

export const jobsVariantOf = (seed: number): JobsVariant => {
  const names = Object.keys(jobsVariants) as JobsVariant[];
  return names[seed % names.length]!;
};

export interface JobsResult extends Omit<DayResult, 'variant' | 'runners'> {
  readonly variant: JobsVariant;
  /** The most instances that served at once, and how many are left in the end. */
  readonly size: { readonly most: number; readonly last: number };
}

export interface JobsOptions extends Omit<DayOptions, 'hours' | 'jobs'> {
  /** @default 8 */
  readonly hours?: number;
  /** After the last fault. @default 3 */
  readonly restHours?: number;
}

/** Hours of a fleet in jobs mode with bursts, quiet hours and faults, then hours of peace in which everything must come right. */
export async function simulateFleetJobs(options: JobsOptions): Promise<JobsResult> {
  const { seed, hours = 8, restHours = 3 } = options;
  const variant = jobsVariantOf(seed);
  const { asgMinSize: minSize, asgMaxSize: maxSize, idleRunnersTargetCount: idleTarget } = jobsVariants[variant];
  const fleet = new DeployedFleet({ ...options, transport: 'direct' });
  const limits = { allowedDrainTimeMs: 900_000, minSize, maxSize, jobs: { idleTarget } };
  const checkers = new FleetCheckers(fleet, limits);
  // The logs of machines that are gone are searched for secrets too.
  fleet.world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
  await fleet.deploy();
  const random = new SeededRandom(seed).fork('jobs mode');
  const start = fleet.clock.now();
  scheduleJobs(fleet, random.fork('jobs'), hours);
  await scheduleMisfortunes(fleet, random.fork('misfortunes'), hours * hour);
  const faults = [
    ...drawFaults(random.fork('faults'), start, hours * hour),
    ...drawFaults(random.fork('service'), start, hours * hour, serviceDraws),
  ];
  for (const rule of faults) fleet.world.engine.faults.add(rule);
  const most = await pass(fleet, checkers, hours * hour);
  fleet.world.engine.faults.clear();
  fleet.codeHost.limits.exhaustUntil(fleet.clock.now());
  await pass(fleet, checkers, restHours * hour);
  checkers.checkAtRest();
  checkers.checkDoctor(await fleet.drive(askFleetDoctor(fleet), hour));
  await fleet.drive(checkers.checkSecrecy(fleet.secretValues), hour);
  const { completed, lost } = fleet.codeHost.registry.queue.counts;
  return {
    seed,
    variant,
    violations: checkers.violations,
    jobs: { completed, lost },
    blames: checkers.blames,
    faults: checkers.watch.faults,
    faultsByKind: Object.fromEntries(checkers.watch.faultsByKind),
    checks: checkers.checks,
    launches: checkers.watch.launches,
    size: { most, last: checkers.watch.serving },
    digest: fleet.world.engine.journal.digest,
  };
}

async function pass(fleet: DeployedFleet, checkers: FleetCheckers, forMs: number): Promise<number> {
  let most = 0;
  for (let passed = 0; passed < forMs; passed += 10 * minute) {
    await fleet.drive(fleet.clock.sleep(10 * minute), 20 * minute);
    await fleet.drive(checkers.checkAlways(), hour);
    most = Math.max(most, checkers.watch.serving);
  }
  return most;
}

/** Each hour is one of its kind: nothing at all, a job now and then, many, or a burst in one minute. */
function scheduleJobs(fleet: DeployedFleet, random: Random, hours: number): void {
  const { queue } = fleet.codeHost.registry;
  const runsOn = [fleet.groupName];
  for (let index = 0; index < hours; index++) {
    const kind = random.pick(['quiet', 'few', 'many', 'burst'] as const);
    const count = { quiet: 0, few: random.int(1, 5), many: random.int(10, 30), burst: random.int(10, 35) }[kind];
    const burstAt = random.int(0, 59) * minute;
    for (let job = 0; job < count; job++) {
      const at = kind === 'burst' ? burstAt + random.int(0, minute) : random.int(0, hour);
      const durationMs = random.chance(0.05) ? random.int(20, 60) * minute : random.int(1, 12) * minute;
      fleet.clock.after(index * hour + at, () => queue.enqueue({ durationMs, runsOn }));
    }
  }
}

const polls = 'GET /scalesets/message';
const sets = '/_apis/runtime/runnerscalesets/{id}';

/**
 * Observed misbehaviour of the Actions service (`Misbehaviour`): how likely, at which call, for how long, how often.
 */
export const serviceDraws: readonly (readonly [number, Draw])[] = [
  [0.5, misbehaviour('empty-answer', polls, 2 * hour, { chance: 0.5 })],
  [0.3, misbehaviour('byte-order-mark', polls, 2 * hour, { chance: 0.5 })],
  [0.5, misbehaviour('session-gone', `PATCH ${sets}/sessions/{session}`, 4 * hour, { chance: 0.2, times: 5 })],
  [0.3, misbehaviour('session-gone', polls, 4 * hour, { chance: 0.1, times: 3 })],
  [0.3, misbehaviour('scale-set-gone', polls, 4 * hour, { chance: 0.1, times: 1 })],
  [0.4, misbehaviour('no-queue-address', /(POST|PATCH) .*\/sessions.*/, 30 * minute, {})],
  [0.3, misbehaviour('statistics-high', /.*(message|sessions).*/, 2 * hour, {})],
  [0.3, misbehaviour('statistics-zero', /.*(message|sessions).*/, 30 * minute, {})],
  [0.4, misbehaviour('completed-early', 'JobStarted', 4 * hour, { chance: 0.3 })],
  [0.3, misbehaviour('message-ids-restart', polls, 4 * hour, { chance: 0.1, times: 2 })],
];

function misbehaviour(
  how: string,
  operation: FaultRule['operation'],
  longestMs: number,
  limits: Pick<FaultRule, 'chance' | 'times'>,
): Draw {
  return (_, window) => ({
    service: 'platform',
    ...(operation === undefined ? {} : { operation }),
    ...window(longestMs),
    ...limits,
    effect: { kind: 'misbehave', how },
  });
}

import { type Random, SeededRandom } from '@drover/core';
import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import type { JobAccount } from '@drover/local/ledger/jobs';
import { askFleetDoctor } from '@drover/local/truth/real-doctor';
import { DeployedFleet } from '@drover/stage/fleet';
import type { FleetProps } from '@drover/stage/fleet-template';
import { drawFaults, scheduleMisfortunes } from './fleet-faults.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The kinds of fleet that days are simulated for; each is synthesised once, and none has fewer than 30 runners. */
export const fleetVariants = {
  'on-demand': { asgMinSize: 30, asgMaxSize: 60, idleRunnersTargetCount: 24, warmPoolMaxSize: 0 },
  'warm-pool': { asgMinSize: 30, asgMaxSize: 60, idleRunnersTargetCount: 24, warmPoolMinSize: 6, warmPoolMaxSize: 45 },
  spot: {
    asgMinSize: 30,
    asgMaxSize: 60,
    idleRunnersTargetCount: 24,
    onDemandBaseCapacity: 10,
    instanceTypes: ['t3a.medium', 't3.medium'],
  },
} satisfies Record<string, FleetProps>;

export type FleetVariant = keyof typeof fleetVariants;

export const variantOf = (seed: number): FleetVariant => {
  const names = Object.keys(fleetVariants) as FleetVariant[];
  return names[seed % names.length]!;
};

export interface DayResult {
  readonly seed: number;
  readonly variant: FleetVariant;
  readonly violations: readonly string[];
  readonly jobs: { readonly completed: number; readonly lost: number };
  readonly blames: Partial<Record<JobAccount, number>>;
  readonly faults: number;
  /** How often each kind struck, e.g. `platform timeout`. */
  readonly faultsByKind: Readonly<Record<string, number>>;
  readonly checks: number;
  readonly launches: number;
  /** The least and the most runners that were registered, at rest after the first hour. */
  readonly runners: { readonly least: number; readonly most: number };
  readonly digest: string;
}

export interface DayOptions {
  readonly seed: number;
  readonly assembly: string;
  readonly groupName: string;
  /** @default 24 */
  readonly hours?: number;
  /** @default 520 a day */
  readonly jobs?: number;
}

/** A day of a fleet with jobs and random faults, then two hours and a half of peace in which everything must come right. */
export async function simulateFleetDay(options: DayOptions): Promise<DayResult> {
  const { seed } = options;
  const variant = variantOf(seed);
  const hours = options.hours ?? 24;
  const fleet = new DeployedFleet({ ...options, transport: 'direct' });
  const { asgMinSize: minSize, asgMaxSize: maxSize, idleRunnersTargetCount: idleTarget } = fleetVariants[variant];
  const checkers = new FleetCheckers(fleet, { allowedDrainTimeMs: 900_000, minSize, maxSize, idleTarget });
  // The logs of machines that are gone are searched for secrets too.
  fleet.world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
  await fleet.deploy();
  const random = new SeededRandom(seed).fork('day');
  const start = fleet.clock.now();
  scheduleJobs(fleet, random.fork('jobs'), options.jobs ?? Math.round((520 / 24) * hours), hours * hour);
  await scheduleMisfortunes(fleet, random.fork('misfortunes'), hours * hour);
  for (const rule of drawFaults(random.fork('faults'), start, hours * hour)) fleet.world.engine.faults.add(rule);
  const sizes: number[] = [];
  await pass(fleet, checkers, hours * hour, sizes);
  fleet.world.engine.faults.clear();
  fleet.codeHost.limits.exhaustUntil(fleet.clock.now());
  await pass(fleet, checkers, 2.5 * hour, sizes);
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
    runners: { least: Math.min(...sizes.slice(6)), most: Math.max(...sizes) },
    digest: fleet.world.engine.journal.digest,
  };
}

async function pass(fleet: DeployedFleet, checkers: FleetCheckers, forMs: number, sizes: number[]): Promise<void> {
  for (let passed = 0; passed < forMs; passed += 10 * minute) {
    await fleet.drive(fleet.clock.sleep(10 * minute), 20 * minute);
    await fleet.drive(checkers.checkAlways(), hour);
    sizes.push(fleet.codeHost.registry.runners.length);
  }
}

/** Jobs come in waves: most by day, some at night, now and then a burst. */
function scheduleJobs(fleet: DeployedFleet, random: Random, count: number, forMs: number): void {
  const { queue } = fleet.codeHost.registry;
  for (let index = 0; index < count; index++) {
    const burst = random.chance(0.2) ? random.int(0, 3) / 4 : random.next();
    const durationMs = random.chance(0.05) ? random.int(30, 120) * minute : random.int(1, 12) * minute;
    fleet.clock.after(burst * forMs + random.int(0, 5 * minute), () => queue.enqueue({ durationMs }));
  }
}

import { type Random, SeededRandom } from '@drover/core';
import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import { askFleetDoctor } from '@drover/local/truth/real-doctor';
import type { DayResult } from '../fleet-day.ts';
import { drawFaults, scheduleMisfortunes } from '../fleet-faults.ts';
import { serviceDraws } from '../fleet-jobs.ts';
import { drawTypes, typeNames } from './draw-types.ts';
import { typeActs } from './type-acts.ts';
import { TypesWorld } from './types-world.ts';

const minute = 60_000;
const hour = 60 * minute;

export interface TypesOptions {
  readonly seed: number;
  /** @default 18 */
  readonly hours?: number;
  /** After the last fault. @default 3 */
  readonly restHours?: number;
  /** Number of acts on types. @default 8 */
  readonly acts?: number;
}

export interface TypesResult extends Omit<DayResult, 'variant' | 'runners'> {
  /** At the beginning. */
  readonly types: readonly string[];
  /** Acts on types, in order. */
  readonly told: readonly string[];
}

/** A day of a fleet with types that come, change and go under load and faults, then hours of peace in which everything must come right. */
export async function simulateFleetTypes({
  seed,
  hours = 18,
  restHours = 3,
  acts = 8,
}: TypesOptions): Promise<TypesResult> {
  const random = new SeededRandom(seed).fork('types');
  const types = drawTypes(random.fork('inputs'));
  const world = new TypesWorld(seed, random.fork('acts'), types);
  const { fleet } = world;
  const checkers = new FleetCheckers(fleet, world.limits);
  // The logs of machines that are gone are searched for secrets too.
  fleet.world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
  await fleet.deploy();
  const start = fleet.clock.now();
  for (const type of [undefined, ...typeNames]) scheduleJobs(world, type, random.fork(`jobs of ${type}`), hours);
  await scheduleMisfortunes(fleet, random.fork('misfortunes'), hours * hour, typeNames);
  const faults = [
    ...drawFaults(random.fork('faults'), start, hours * hour),
    ...drawFaults(random.fork('service'), start, hours * hour, serviceDraws),
  ];
  for (const rule of faults) fleet.world.engine.faults.add(rule);
  const told = await passWithActs(world, checkers, { until: start + hours * hour, acts });
  fleet.world.engine.faults.clear();
  fleet.codeHost.limits.exhaustUntil(fleet.clock.now());
  await passUntil(world, checkers, fleet.clock.now() + restHours * hour);
  checkers.checkAtRest();
  checkers.checkDoctor(await fleet.drive(askFleetDoctor(fleet), hour));
  await fleet.drive(checkers.checkSecrecy(fleet.secretValues), hour);
  const { completed, lost } = fleet.codeHost.registry.queue.counts;
  return {
    seed,
    types: Object.keys(types),
    told,
    violations: checkers.violations,
    jobs: { completed, lost },
    blames: checkers.blames,
    faults: checkers.watch.faults,
    faultsByKind: Object.fromEntries(checkers.watch.faultsByKind),
    checks: checkers.checks,
    launches: checkers.watch.launches,
    digest: fleet.world.engine.journal.digest,
  };
}

/** One act after the other, at moments of the day; one that cannot be done then is left out. */
async function passWithActs(
  world: TypesWorld,
  checkers: FleetCheckers,
  { until, acts }: { readonly until: number; readonly acts: number },
): Promise<readonly string[]> {
  const { clock } = world.fleet;
  const start = clock.now();
  const moments = Array.from({ length: acts }, () => start + world.random.int(0, until - start)).toSorted(
    (a, b) => a - b,
  );
  const told: string[] = [];
  for (const at of moments) {
    await passUntil(world, checkers, at);
    const began = new Date(clock.now()).toISOString();
    const happened = await world.random.pick(typeActs)(world);
    if (happened !== undefined) told.push(`${began} ${happened}`);
  }
  await passUntil(world, checkers, until);
  return told;
}

async function passUntil({ fleet }: TypesWorld, checkers: FleetCheckers, until: number): Promise<void> {
  while (fleet.clock.now() < until) {
    await fleet.drive(fleet.clock.sleep(Math.min(10 * minute, until - fleet.clock.now())), 20 * minute);
    await fleet.drive(checkers.checkAlways(), hour);
  }
}

/** Each hour of a type is one of its kind: nothing at all, a job now and then, or a burst in one minute, which may be more than its maximum. */
function scheduleJobs(world: TypesWorld, type: string | undefined, random: Random, hours: number): void {
  for (let index = 0; index < hours; index++) {
    const kind = random.pick(['quiet', 'few', 'burst'] as const);
    const count = { quiet: 0, few: random.int(1, 4), burst: random.int(3, 12) }[kind];
    const burstAt = random.int(0, 59) * minute;
    for (let job = 0; job < count; job++) {
      const at = kind === 'burst' ? burstAt + random.int(0, minute) : random.int(0, hour);
      const durationMs = random.chance(0.05) ? random.int(20, 60) * minute : random.int(1, 12) * minute;
      world.fleet.clock.after(index * hour + at, () => world.enqueue(type, durationMs));
    }
  }
}

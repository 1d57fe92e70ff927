import { type Random, SeededRandom } from '@drover/core';
import type { FaultRule } from '@drover/embedded-cloud';
import { FleetCheckers } from '../checkers/fleet-checkers.ts';
import type { Blame } from '../checkers/judge-loss.ts';
import type { FleetInputs } from '../fleet/fleet-app.ts';
import { FleetSimulation } from '../fleet/fleet-simulation.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The kinds of fleet that days are simulated for; each is synthesised once. */
export const fleetVariants = {
  'on-demand': { asgMinSize: 5, asgMaxSize: 60, idleRunnersTargetCount: 30, warmPoolMaxSize: 0 },
  'warm-pool': { asgMinSize: 5, asgMaxSize: 60, idleRunnersTargetCount: 30, warmPoolMinSize: 6, warmPoolMaxSize: 60 },
  spot: {
    asgMinSize: 5,
    asgMaxSize: 60,
    idleRunnersTargetCount: 30,
    onDemandBaseCapacity: 10,
    instanceTypes: ['t3a.medium', 't3.medium'],
  },
} satisfies Record<string, FleetInputs>;

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
  readonly blames: Partial<Record<Blame, number>>;
  readonly faults: number;
  readonly checks: number;
  readonly launches: number;
  readonly digest: string;
}

export interface DayOptions {
  readonly seed: number;
  readonly assembly: string;
  readonly groupName: string;
  /** @default 24 */
  readonly hours?: number;
  /** @default 500 a day */
  readonly jobs?: number;
}

/** A day of a fleet with jobs and random faults, then an hour and a half of peace in which everything must come right. */
export async function simulateFleetDay(options: DayOptions): Promise<DayResult> {
  const { seed } = options;
  const variant = variantOf(seed);
  const hours = options.hours ?? 24;
  const fleet = new FleetSimulation({ ...options, transport: 'direct' });
  const { minSize, maxSize } = {
    minSize: fleetVariants[variant].asgMinSize,
    maxSize: fleetVariants[variant].asgMaxSize,
  };
  const checkers = new FleetCheckers(fleet, { allowedDrainTimeMs: 900_000, minSize, maxSize });
  await fleet.deploy();
  const random = new SeededRandom(seed).fork('day');
  const start = fleet.clock.now();
  scheduleJobs(fleet, random.fork('jobs'), options.jobs ?? Math.round((500 / 24) * hours), hours * hour);
  for (const rule of drawFaults(random.fork('faults'), start, hours * hour)) fleet.world.engine.faults.add(rule);
  await pass(fleet, checkers, hours * hour);
  fleet.world.engine.faults.clear();
  await pass(fleet, checkers, 2.5 * hour);
  checkers.checkAtRest();
  await fleet.drive(checkers.checkSecrecy(fleet.secretValues), hour);
  const { completed, lost } = fleet.codeHost.registry.queue.counts;
  return {
    seed,
    variant,
    violations: checkers.violations,
    jobs: { completed, lost },
    blames: checkers.blames,
    faults: checkers.watch.faults,
    checks: checkers.checks,
    launches: checkers.watch.launches,
    digest: fleet.world.engine.journal.digest,
  };
}

async function pass(fleet: FleetSimulation, checkers: FleetCheckers, forMs: number): Promise<void> {
  for (let passed = 0; passed < forMs; passed += 10 * minute) {
    await fleet.drive(fleet.clock.sleep(10 * minute), 20 * minute);
    await fleet.drive(checkers.checkAlways(), hour);
  }
}

/** Jobs come in waves: most by day, some at night, now and then a burst. */
function scheduleJobs(fleet: FleetSimulation, random: Random, count: number, forMs: number): void {
  const { queue } = fleet.codeHost.registry;
  for (let index = 0; index < count; index++) {
    const burst = random.chance(0.2) ? random.int(0, 3) / 4 : random.next();
    const durationMs = random.chance(0.05) ? random.int(30, 120) * minute : random.int(1, 12) * minute;
    fleet.clock.after(burst * forMs + random.int(0, 5 * minute), () => queue.enqueue({ durationMs }));
  }
}

/** What may go wrong on a day: each with a window and a chance of its own. */
function drawFaults(random: Random, start: number, forMs: number): FaultRule[] {
  const rules: FaultRule[] = [];
  const window = (longestMs: number) => {
    const fromMs = start + random.int(0, forMs);
    return { fromMs, untilMs: Math.min(fromMs + random.int(minute, longestMs), start + forMs) };
  };
  const sometimes = (probability: number, rule: () => FaultRule) => {
    if (random.chance(probability)) rules.push(rule());
  };
  sometimes(0.5, () => ({
    service: 'platform',
    ...window(hour),
    effect: {
      kind: random.pick(['error', 'timeout']),
      ...(random.chance(0.5) ? { status: 503 } : {}),
    } as FaultRule['effect'],
  }));
  sometimes(0.3, () => ({ service: 'platform', ...window(30 * minute), effect: { kind: 'throttle' } }));
  sometimes(0.3, () => ({
    service: 'platform',
    ...window(hour),
    chance: 0.3,
    effect: { kind: 'slow', ms: random.int(1_000, 30_000) },
  }));
  for (const service of ['autoscaling', 'secretsmanager', 'ssm', 'ec2', 's3', 'monitoring'])
    sometimes(0.4, () => ({
      service,
      subject: 'assumed-role',
      ...window(2 * hour),
      chance: 0.2,
      effect: {
        kind: random.pick(['error', 'throttle']),
        ...(random.chance(0.5) ? { phase: 'after' as const } : {}),
      } as FaultRule['effect'],
    }));
  sometimes(0.5, () => ({
    service: 'events',
    ...window(3 * hour),
    chance: 0.3,
    effect: random.pick([{ kind: 'lose' }, { kind: 'duplicate', afterMs: 20_000 }, { kind: 'late', ms: 5 * minute }]),
  }));
  sometimes(0.5, () => ({
    service: 'machine',
    operation: 'agent',
    ...window(6 * hour),
    chance: 0.1,
    effect: { kind: 'dead-agent' },
  }));
  sometimes(0.5, () => ({
    service: 'machine',
    operation: 'boot',
    ...window(6 * hour),
    chance: 0.2,
    effect: random.pick([{ kind: 'boot-failure' }, { kind: 'slow-boot', ms: 10 * minute }]),
  }));
  sometimes(0.4, () => ({
    service: 'machine',
    operation: 'run',
    ...window(hour),
    times: 3,
    chance: 0.01,
    effect: { kind: 'crash' },
  }));
  sometimes(0.6, () => ({
    service: 'machine',
    operation: 'run',
    ...window(3 * hour),
    times: 5,
    chance: 0.02,
    effect: { kind: 'spot-reclaim' },
  }));
  sometimes(0.4, () => ({
    service: 'machine',
    operation: 'hibernate',
    ...window(12 * hour),
    chance: 0.3,
    effect: { kind: 'failed-hibernation' },
  }));
  return rules;
}

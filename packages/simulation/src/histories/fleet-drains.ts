import { SeededRandom } from '@drover/core';
import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import { DeployedFleet } from '@drover/stage/fleet';
import type { FleetProps } from '@drover/stage/fleet-template';
import type { DayOptions } from '../scenarios/fleet-day.ts';

const minute = 60_000;
const hour = 60 * minute;
const slowAfterHours = 3;

export const drainsInputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 30,
  idleRunnersTargetCount: 0,
  warmPoolMaxSize: 0,
  allowedDrainTime: 7_200,
} satisfies FleetProps;

export interface DrainsResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly checks: number;
  readonly jobs: { readonly completed: number; readonly lost: number };
  /** Instances that an operator has terminated. */
  readonly terminated: number;
}

/**
 * Hours of a fleet in jobs mode without another fault: some instance is always leaving, because an operator terminates hosts with long jobs,
 * one each hour; and in the last hours each boot takes 16 to 25 minutes.
 */
export async function simulateFleetDrains(options: Omit<DayOptions, 'jobs'>): Promise<DrainsResult> {
  const { seed, hours = 6 } = options;
  const random = new SeededRandom(seed).fork('drains');
  const fleet = new DeployedFleet({ ...options, transport: 'direct' });
  const { asgMinSize: minSize, asgMaxSize: maxSize, idleRunnersTargetCount: idleTarget } = drainsInputs;
  const limits = { allowedDrainTimeMs: drainsInputs.allowedDrainTime * 1_000, minSize, maxSize, jobs: { idleTarget } };
  const checkers = new FleetCheckers(fleet, limits);
  await fleet.deploy();
  const { queue } = fleet.codeHost.registry;
  const runsOn = [fleet.groupName];
  let terminated = 0;
  const terminate = (runner: string) => {
    terminated += 1;
    const input = { InstanceId: runner, ShouldDecrementDesiredCapacity: false };
    const { world } = fleet;
    const credentials = { credentials: world.rootCredentials };
    void world.aws.call('autoscaling', 'TerminateInstanceInAutoScalingGroup', input, credentials);
  };
  const slowBoot = { kind: 'slow-boot', ms: random.int(16, 25) * minute } as const;
  for (let passed = 0; passed < hours; passed++) {
    if (passed === slowAfterHours)
      fleet.world.engine.faults.add({ service: 'machine', operation: 'configure', effect: slowBoot });
    const job = queue.enqueue({ durationMs: random.int(4, 6) * hour, runsOn });
    fleet.clock.after(random.int(25, 55) * minute, () => {
      if (job.runnerName !== undefined) terminate(job.runnerName);
    });
    for (let minutes = random.int(0, 9); minutes < 60; minutes += random.int(2, 9))
      fleet.clock.after(minutes * minute, () => queue.enqueue({ durationMs: random.int(1, 6) * minute, runsOn }));
    for (let part = 0; part < 6; part++) {
      await fleet.drive(fleet.clock.sleep(10 * minute), 20 * minute);
      await fleet.drive(checkers.checkAlways(), hour);
    }
  }
  const { completed, lost } = queue.counts;
  return { seed, violations: checkers.violations, checks: checkers.checks, jobs: { completed, lost }, terminated };
}

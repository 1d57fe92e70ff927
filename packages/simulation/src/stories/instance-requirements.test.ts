import type { Job } from '@drover/cloud-github';
import { operatorIo } from '@drover/local/truth/real-doctor';
import { fleetCost } from '@drover/operator/fleet/cost';
import { fleetStackName } from '@drover/stage/fleet-template';
import { beforeAll, describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const inputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 6,
  idleRunnersTargetCount: 0,
  instanceRequirements: {
    vcpuCount: { min: 2, max: 2 },
    memoryMib: { min: 4096, max: 8192 },
    spotMaxPricePercentageOverLowestPrice: 12,
  },
  onDemandBaseCapacity: 0,
  onDemandFallback: true,
  types: { arm: { architecture: 'arm64', onDemandBaseCapacity: null } },
} as const;

describe('a fleet whose instance types are described by what they need to have', () => {
  let stage: CheckedFleetStage;
  const enqueue = (label: string, minutes: number) =>
    stage.fleet.codeHost.registry.queue.enqueue({ durationMs: minutes * minute, runsOn: [label] });
  const done = (...jobs: readonly Job[]) =>
    stage.fleet.until('the jobs are over', () => jobs.every(({ state }) => state === 'completed'), 60 * minute);
  const machineOf = ({ runnerName = '' }: Job) => stage.fleet.world.machines.get(runnerName)!.instance;
  const typesOf = (...jobs: readonly Job[]) => [...new Set(jobs.map((job) => machineOf(job).instanceType))].sort();
  const groupsOf = (...jobs: readonly Job[]) => [
    ...new Set(jobs.map((job) => machineOf(job).tags['aws:autoscaling:groupName'])),
  ];
  /** EC2 has none of a type. The subject of a launch ends with it. */
  const none = (subject: string) =>
    stage.fault({ service: 'autoscaling', operation: 'Launch', subject, effect: { kind: 'error' } });

  beforeAll(async () => {
    stage = await CheckedFleetStage.open(inputs, {
      before: ({ world }) => {
        world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
      },
    });
    await stage.pass(2);
  }, 600_000);

  it('jobs run on spot instances of types that meet the requirements; when EC2 has none of one, of the others', async () => {
    const jobs = stage.enqueue(2, 3);
    await done(...jobs);
    expect(['c6a.large', 'c5.large', 'c6i.large']).toEqual(expect.arrayContaining(typesOf(...jobs)));

    const lifts = [none('c5.large'), none('c6a.large')];
    const later = stage.enqueue(2, 3);
    await done(...later);
    for (const lift of lifts) lift();

    expect(typesOf(...later)).toEqual(['c6i.large']);
    expect(groupsOf(...jobs, ...later)).toEqual(['runners']);
  });

  it('when spot has none of any type, the on-demand fallback launches the cheapest that meets the same requirements', async () => {
    const lift = none('runners ');
    const jobs = stage.enqueue(2, 2);
    await done(...jobs);
    lift();

    expect(groupsOf(...jobs)).toEqual(['runners-od']);
    expect(typesOf(...jobs)).toEqual(['c6a.large']);
  });

  it('a type with another architecture has the requirements of the fleet, and instances of its own processor', async () => {
    const job = enqueue('runners-arm', 2);
    await done(job);

    expect([groupsOf(job), typesOf(job)]).toEqual([['runners-arm'], ['c6g.large']]);
    expect(stage.groupOf('arm')!.tags.has('drover:instance-type')).toBe(false);
  });

  it('drover fleet cost has the prices of the types that instances have, and counts those that are gone as the type that is given', async () => {
    const cost = async (...more: readonly string[]) => {
      let text = '';
      const io = operatorIo(stage.fleet, (part) => {
        text += part;
      });
      const [instanceType] = more;
      const since = (now: number) => now - 6 * 60 * minute;
      const options = { stack: fleetStackName, format: 'json', since, volumeGib: 30 } as const;
      await stage.fleet.drive(
        fleetCost(io, instanceType === undefined ? options : { ...options, instanceType }),
        60 * minute,
      );
      return JSON.parse(text) as { instanceTypes: string[]; cost: { total: number } };
    };
    await stage.pass(20);
    await expect(cost()).rejects.toThrow('no instance, so its instance type is not known');
    const jobs = [enqueue('runners', 20), enqueue('runners-arm', 20)];
    await stage.fleet.until('they run', () => jobs.every(({ state }) => state === 'running'), 20 * minute);

    const { instanceTypes, cost: estimate } = await cost('m7a.large');
    expect(instanceTypes).toEqual(expect.arrayContaining(['m7a.large', 'c6g.large', ...typesOf(...jobs)]));
    expect(estimate.total).toBeGreaterThan(0);
    await done(...jobs);
  });

  it('nothing of what is promised was broken', async () => {
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

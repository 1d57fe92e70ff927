import type { Job } from '@drover/cloud-github';
import { operatorIo } from '@drover/local/truth/real-doctor';
import { fleetDestroy } from '@drover/operator/fleet/destroy';
import { fleetStackName } from '@drover/stage/fleet-template';
import { beforeAll, describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const inputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 6,
  idleRunnersTargetCount: 0,
  instanceTypes: ['m7a.large', 'm6a.large'],
  onDemandBaseCapacity: 0,
  onDemandFallback: true,
} as const;

/** Groups of the instances that the jobs ran on. */
const groupsOf = (stage: CheckedFleetStage, jobs: readonly Job[]) =>
  jobs.map(
    ({ runnerName = '' }) =>
      stage.fleet.world.machines.get(runnerName)?.instance.tags['aws:autoscaling:groupName'] ?? 'unknown',
  );
const waits = (jobs: readonly Job[]) => jobs.map(({ startedAt = 0, queuedAt }) => (startedAt - queuedAt) / minute);
const done = (stage: CheckedFleetStage, jobs: readonly Job[]) =>
  stage.fleet.until('the jobs are over', () => jobs.every(({ endedAt }) => endedAt !== undefined), 90 * minute);
/** The subject of a launch begins with the group's name. */
const noSpot = (stage: CheckedFleetStage) =>
  stage.fault({ service: 'autoscaling', operation: 'Launch', subject: 'runners ', effect: { kind: 'error' } });
/** It is about spot instances alone, whichever group launches them. */
const spotQuota = { kind: 'error', code: 'MaxSpotInstanceCountExceeded' } as const;

describe('a fleet of spot instances with an on-demand fallback', () => {
  let stage: CheckedFleetStage;
  const refused: string[] = [];
  let most = 0;

  beforeAll(async () => {
    stage = await CheckedFleetStage.open(inputs, {
      before: ({ world }) => {
        world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
        world.observe.onAuthorization(({ refusal }) => refusal !== undefined && refused.push(refusal));
        world.engine.journal.subscribe(({ kind, source }) => {
          if (source !== 'aws.autoscaling' || kind !== 'transition') return;
          most = Math.max(most, stage?.group.desiredCapacity ?? 0);
        });
      },
    });
    await stage.pass(2);
  });

  it('launches spot instances while there is spot capacity', async () => {
    const jobs = stage.enqueue(3, 2);
    await done(stage, jobs);

    expect(new Set(groupsOf(stage, jobs))).toEqual(new Set(['runners']));
  });

  it('launches on demand within a minute what spot has no capacity or quota for, for as long as that lasts', async () => {
    const lift = noSpot(stage);
    const first = stage.enqueue(5, 3);
    await done(stage, first);
    lift();
    const raise = stage.fault({ service: 'autoscaling', operation: 'Launch', effect: spotQuota });
    await stage.pass(20);
    const later = stage.enqueue(5, 8);
    await done(stage, later);
    raise();

    expect(new Set(groupsOf(stage, [...first, ...later]))).toEqual(new Set(['runners-od']));
    expect(Math.max(...waits(first))).toBeLessThan(5);
    expect(Math.max(...waits(later.slice(0, 6)))).toBeLessThan(5);
    expect(most).toBe(6);
  });

  it('launches spot instances again when there is capacity', async () => {
    await stage.pass(15);
    const jobs = stage.enqueue(3, 2);
    await done(stage, jobs);
    await stage.pass(5);

    expect(new Set(groupsOf(stage, jobs))).toEqual(new Set(['runners']));
    expect([stage.group.members.size, stage.group.desiredCapacity]).toEqual([0, 0]);
    expect(stage.fleet.codeHost.registry.runners).toEqual([]);
  });

  it('launches another at once when EC2 takes one back that still boots, not when it is gone', async () => {
    const { world } = stage.fleet;
    const jobs = stage.enqueue(2);
    const pending = () => [...stage.group.members.values()].find(({ state }) => state === 'Pending:Wait')?.instanceId;
    await stage.fleet.until('it boots', () => pending() !== undefined, 10 * minute);
    const taken = pending()!;
    const before = new Set(world.observe.instances().map(({ id }) => id));
    // Before packages and Puppet, so that there is no agent.
    world.operate.reclaimSpot(taken);
    const launched = () => world.observe.instances().some(({ id }) => !before.has(id));
    await stage.fleet.until('another is launched', launched, minute);
    const reclaimed = world.machines.spotNoticeOf(taken)! - world.engine.clock.now();
    await done(stage, jobs);

    expect(reclaimed).toBeGreaterThan(minute);
    expect(groupsOf(stage, jobs)).toEqual(['runners-od']);
    expect(waits(jobs)[0]).toBeLessThan(6);
  });

  it('a fleet with a fallback needs no right that it does not have, and keeps every promise at rest', async () => {
    expect(refused).toEqual([]);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('spot instances that are taken back in a storm', () => {
  it('after two within a quarter of an hour the next ones are launched on demand, and later as spot again', async () => {
    const stage = await CheckedFleetStage.open(inputs, {
      before: ({ world }) => {
        world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
      },
    });
    await stage.pass(2);
    const taken = stage.enqueue(30, 3);
    await stage.fleet.until('they run', () => taken.every(({ state }) => state === 'running'), 20 * minute);
    for (const { runnerName = '' } of taken) stage.fleet.world.operate.reclaimSpot(runnerName);
    await stage.pass(1);
    const after = stage.enqueue(3, 2);
    await done(stage, [...taken, ...after]);
    await stage.pass(45);
    const later = stage.enqueue(3, 2);
    await done(stage, later);

    expect(new Set(groupsOf(stage, after))).toEqual(new Set(['runners-od']));
    expect(new Set(groupsOf(stage, later))).toEqual(new Set(['runners']));
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('an on-demand fallback that is taken away', () => {
  it('while a job runs in it: the job ends, its group goes, and no right lacks', async () => {
    const refused: string[] = [];
    const stage = await CheckedFleetStage.open(inputs, {
      before: ({ world }) =>
        world.observe.onAuthorization(({ refusal }) => refusal !== undefined && refused.push(refusal)),
    });
    const fallback = () => stage.fleet.world.observe.group('runners-od');
    await stage.pass(2);
    const lift = noSpot(stage);
    const [long] = stage.enqueue(15);
    await stage.fleet.until('it runs', () => long!.state === 'running', 20 * minute);
    lift();
    expect(fallback()?.members.size).toBe(1);
    await stage.update({ ...inputs, onDemandFallback: false });
    await stage.pass(30);
    expect([long!.state, fallback()]).toEqual(['completed', undefined]);

    const { onDemandFallback: _, ...without } = inputs;
    await stage.update(without);
    await done(stage, stage.enqueue(3));
    expect(refused).toEqual([]);
    expect(await stage.violationsAtRest()).toEqual([]);
  }, 600_000);

  it('the fallback goes with its fleet, by drover fleet destroy, while it wants an instance that it cannot launch', async () => {
    const stage = await CheckedFleetStage.open(inputs);
    await stage.pass(2);
    noSpot(stage);
    const lift = stage.fault({ service: 'autoscaling', operation: 'Launch', effect: { kind: 'error' } });
    stage.enqueue(5, 2);
    await stage.fleet.until('the fallback wants it', () => wants(stage) > 0, 20 * minute);
    const io = operatorIo(stage.fleet, () => {});
    const ended = await stage.fleet.drive(fleetDestroy(io, { stack: fleetStackName, yes: true }), 24 * 60 * minute);
    lift();

    expect(ended).toBe(0);
    expect(stage.fleet.world.observe.group('runners-od')).toBeUndefined();
    expect(stage.fleet.codeHost.scaleSets.named('runners')).toBeUndefined();
  }, 600_000);
});

const wants = ({ fleet }: CheckedFleetStage) => fleet.world.observe.group('runners-od')?.desiredCapacity ?? 0;

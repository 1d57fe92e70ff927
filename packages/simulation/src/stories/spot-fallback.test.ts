import type { Job } from '@drover/cloud-github';
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

  it('launches on demand within a minute what spot has no capacity for, for as long as that lasts', async () => {
    const lift = noSpot(stage);
    const first = stage.enqueue(5, 3);
    await done(stage, first);
    await stage.pass(20);
    const later = stage.enqueue(5, 8);
    await done(stage, later);
    lift();

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

import type { Job } from '@drover/cloud-github';
import { beforeAll, describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const inputs = {
  scalingMode: 'jobs',
  adaptiveWindows: true,
  asgMinSize: 0,
  asgMaxSize: 4,
  idleRunnersTargetCount: 0,
  types: { large: { asgMaxSize: 2 } },
} as const;

describe('a fleet with a type and adaptive windows', () => {
  let stage: CheckedFleetStage;
  const jobs: Job[] = [];
  const signals: string[] = [];
  /** Seconds of each window of the demand. */
  const windows: { readonly at: number; readonly seconds: number }[] = [];
  const lately = (minutes: number) =>
    windows.filter(({ at }) => stage.fleet.clock.now() - at < minutes * minute).map(({ seconds }) => seconds);

  beforeAll(async () => {
    stage = await CheckedFleetStage.open(inputs, {
      before: ({ world }) =>
        world.engine.journal.subscribe(({ at, source, name, subject = '', detail }) => {
          if (source === 'aws.lambda' && name === 'succeeded' && subject === 'runners_demand')
            windows.push({ at, seconds: Math.round(Number(detail?.durationMs) / 1_000) });
          if (source === 'aws.cloudwatch' && subject.startsWith('demand_signal_old')) signals.push(name);
        }),
    });
    await stage.pass(50);
  }, 600_000);

  it('half an hour after a deployment windows are looks of a second, one each minute', () => {
    expect(lately(10).length).toBeGreaterThanOrEqual(9);
    expect(Math.max(...lately(10))).toBeLessThanOrEqual(2);
  });

  it('jobs that arrive in a quiet hour start within a minute and a boot, also those of a type', async () => {
    for (const label of ['runners', 'runners-large'])
      jobs.push(stage.fleet.codeHost.registry.queue.enqueue({ durationMs: 2 * minute, runsOn: [label] }));
    await stage.fleet.until('the jobs are done', () => jobs.every(({ state }) => state === 'completed'), 15 * minute);

    expect(jobs.map((job) => (job.startedAt! - job.queuedAt) / minute < 5)).toEqual([true, true]);
    await stage.pass(2);
    expect(Math.min(...lately(2))).toBeGreaterThan(45);
  });

  it('windows of a fleet are long for half an hour after its last job, then short again, and no alarm fires', async () => {
    await stage.pass(20);
    expect(Math.min(...lately(15))).toBeGreaterThan(45);
    await stage.pass(28);

    expect(Math.max(...lately(5))).toBeLessThanOrEqual(2);
    // On until the first window after a deployment.
    expect(signals.filter((name) => name.endsWith('-> ALARM')).length).toBeLessThanOrEqual(1);
    expect(await stage.alarms('demand_signal_old-')).toMatchObject([{ StateValue: 'OK' }]);
  });

  it('a fleet with adaptive windows keeps every promise at rest', async () => {
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

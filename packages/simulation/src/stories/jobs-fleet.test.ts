import type { Job } from '@drover/cloud-github';
import { beforeAll, describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const inputs = { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 10, idleRunnersTargetCount: 0 } as const;

describe('a fleet in jobs mode', () => {
  let stage: CheckedFleetStage;
  let job: Job;
  const refused: string[] = [];

  beforeAll(async () => {
    stage = await CheckedFleetStage.open(inputs, {
      before: ({ world }) =>
        world.observe.onAuthorization(({ refusal }) => refusal !== undefined && refused.push(refusal)),
    });
    await stage.pass(2);
    job = stage.fleet.codeHost.registry.queue.enqueue({ durationMs: 3 * minute, runsOn: ['runners'] });
    await stage.fleet.until('the job is done', () => job.state === 'completed', 15 * minute);
    await stage.pass(3);
  });

  it('a job on an empty fleet starts within one boot on a fresh instance, which goes when the job is done', () => {
    expect((job.startedAt! - job.queuedAt) / minute).toBeLessThan(4);
    expect([stage.group.members.size, stage.group.desiredCapacity]).toEqual([0, 0]);
    expect(stage.fleet.codeHost.registry.runners).toEqual([]);
  });

  it('the functions of jobs mode need no right that they do not have, and no list of runners', () => {
    const rest = stage.fleet.world.engine.journal.entries.filter(
      ({ kind, source, name, subject = '' }) =>
        kind === 'request' &&
        source === 'platform' &&
        subject.startsWith('runners_') &&
        / \/(orgs|actions)\//.test(name),
    );

    expect(refused).toEqual([]);
    expect(rest.map(({ name, subject }) => `${subject} ${name}`).filter((line) => !/deprecations/.test(line))).toEqual([
      'runners_demand POST /orgs/{org}/actions/runners/registration-token',
      'runners_demand POST /actions/runner-registration',
    ]);
  });

  it('record_metric publishes the numbers of jobs, and the alarm on their age is off', async () => {
    const names = stage.fleet.world.observe
      .logLines('/aws/lambda/runners_record_metric')
      .filter((line) => line.includes('"assigned":1'));

    expect(names.length).toBeGreaterThan(0);
    expect(await stage.alarms('demand_signal_old-')).toMatchObject([{ StateValue: 'OK' }]);
    expect(await stage.alarms('idle_runners_low-')).toMatchObject([{ AlarmActions: [] }]);
  });

  it('a fleet in jobs mode keeps every promise at rest', async () => {
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

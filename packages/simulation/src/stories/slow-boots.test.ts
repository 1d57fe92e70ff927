import type { FaultEffect } from '@drover/cloud-engine';
import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const jobsMode = { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 4, idleRunnersTargetCount: 0 } as const;
const idleMode = { asgMinSize: 1, asgMaxSize: 1 };

/** A fleet whose boots do this, and each launch. */
async function open(inputs: Parameters<typeof CheckedFleetStage.open>[0], ...effects: readonly FaultEffect[]) {
  const launched: string[] = [];
  const stage = await CheckedFleetStage.open(inputs, {
    before: ({ world }) => {
      for (const [index, effect] of effects.entries())
        world.engine.faults.add({
          service: 'machine',
          operation: 'configure',
          ...(effects.length === 1 ? {} : { nth: index + 1 }),
          effect,
        });
      world.observe.onInstanceState(({ id, state }) => void (state === 'pending' && launched.push(id)));
    },
  });
  const alarm = async () => (await stage.alarms('boots_failing-runners'))[0]?.StateValue;
  return { stage, launched, alarm };
}

describe('boots that take long', () => {
  it('jobs are served by boots of 16 to 40 minutes, each by its first instance', async () => {
    const slow = (minutes: number) => ({ kind: 'slow-boot', ms: minutes * minute }) as const;
    const { stage, launched, alarm } = await open(jobsMode, slow(14), slow(15), slow(37));
    const jobs = stage.enqueue(5, 3);
    await stage.fleet.until('the jobs are over', () => jobs.every(({ endedAt }) => endedAt !== undefined), 90 * minute);

    expect(jobs.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
    expect(launched).toHaveLength(3);
    expect(await alarm()).toBe('OK');
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it.each([
    ['idle', idleMode],
    ['jobs', jobsMode],
  ])('boots that never end in %s mode: three launches, then the alarm and two launches an hour', async (_, inputs) => {
    const { stage, launched, alarm } = await open(inputs, { kind: 'timeout' });
    stage.enqueue(5);
    await stage.fleet.until('the third launch', () => launched.length === 3, 90 * minute);
    await stage.pass(3);
    expect(await alarm()).toBe('ALARM');

    await stage.pass(120);

    expect(launched.length).toBeLessThanOrEqual(3 + 4);
    expect(await alarm()).toBe('ALARM');
    const said = stage.fleet.world.observe.logLines('/aws/lambda/runners_registration');
    expect(said.filter((line) => line.includes('a boot fell silent')).at(-1)).toContain('docker pull registry.example');
    expect(await stage.violationsNow()).toEqual([]);
  });

  it('boots that wait for an empty mirror of the runner software are not ended, and serve their jobs when it is filled', async () => {
    const { stage, launched, alarm } = await open(jobsMode);
    const refill = stage.fault({
      service: 'lambda',
      operation: 'runners_runner_version',
      effect: { kind: 'throttle' },
    });
    const jobs = stage.enqueue(5, 2);
    await stage.pass(4 * 60);
    expect([launched.length, await alarm()]).toEqual([2, 'OK']);

    refill();
    await stage.fleet.until('the jobs are over', () => jobs.every(({ endedAt }) => endedAt !== undefined), 60 * minute);

    expect([jobs.map(({ state }) => state), launched.length]).toEqual([['completed', 'completed'], 2]);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { DemandStage } from './demand-stage.ts';

describe.each([
  ['long', false, 18],
  ['adaptive', true, 34],
] as const)('a type at rest, in %s windows', (_, adaptiveWindows, untilItRests) => {
  let stage: DemandStage;
  const job = { repository: 'shop', name: 'build', result: 'succeeded' };

  beforeEach(async () => {
    stage = new DemandStage();
    stage.adaptiveWindows = adaptiveWindows;
    stage.hasLarge = true;
    await stage.windows(1);
    stage.large.memory = { ...stage.large.memory, jobs: { ...stage.large.memory.jobs, jobs: { 1: job } } };
    await stage.windows(untilItRests);
  });

  it('its memory is neither read nor written, and its numbers stay fresh', async () => {
    Object.assign(stage.large, { reads: 0, writes: 0 });
    await stage.windows(10);

    expect([stage.large.reads, stage.large.writes]).toEqual([0, 0]);
    expect(stage.memory.types?.large?.resting?.jobs?.scaleSet?.name).toBe('runners-large');
    expect(stage.clock.now() - stage.memory.types!.large!.statisticsAt!).toBeLessThan(130_000);
  });

  it('a job wakes it, for which an instance is launched, and the notes of its jobs stay', async () => {
    stage.enqueue(1, 10, 'runners-large');
    await stage.windows(2);

    expect(stage.large.capacities).toContain(1);
    expect(Object.values(stage.large.memory.jobs?.jobs ?? {})).toMatchObject([job, { assignedAt: expect.any(Number) }]);
    expect(stage.memory.types?.large?.resting).toBeUndefined();
  });

  it('whichever of its calls to a memory the window of the job dies at, the job gets its instance, and no note is lost', async () => {
    let calls = 0;
    for (let dies = true; dies; calls++) {
      await stage.windows(calls === 0 ? 0 : untilItRests);
      expect(stage.memory.types?.large?.resting).toBeDefined();
      const known = Object.keys(stage.large.memory.jobs?.jobs ?? {}).length;
      stage.large.capacities.length = 0;
      stage.callsToLive = calls;
      const [waiting] = stage.enqueue(1, 10, 'runners-large');
      await stage.window();
      dies = stage.callsToLive < 0;
      stage.callsToLive = Number.POSITIVE_INFINITY;
      await stage.windows(4);

      expect([calls, stage.large.capacities.includes(1)]).toEqual([calls, true]);
      stage.host.registry.queue.cancel(waiting!);
      await stage.windows(2);
      expect(Object.keys(stage.large.memory.jobs?.jobs ?? {}).length).toBeGreaterThan(known);
    }
    expect(calls).toBeGreaterThan(5);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { DemandStage } from './demand-stage.ts';

const minute = 60_000;
const isShort = (ms: number) => ms < 3_000;

describe('adaptive windows', () => {
  let stage: DemandStage;
  beforeEach(async () => {
    stage = new DemandStage();
    stage.adaptiveWindows = true;
    await stage.windows(2);
    const { jobs } = stage.memory;
    stage.memory = { ...stage.memory, jobs: { ...jobs, quietSince: stage.clock.now() - 30 * minute } };
  });
  const next = async (count: number) => {
    const before = stage.durations.length;
    const thrown = await stage.windows(count);
    return { short: stage.durations.slice(before).map(isShort), thrown };
  };

  it('windows are long for half an hour without jobs, then each is a look of a second', async () => {
    const fresh = new DemandStage();
    fresh.adaptiveWindows = true;
    await fresh.windows(34);
    expect(fresh.durations.findIndex(isShort)).toBe(31);
    expect(fresh.durations.slice(31).map(isShort)).toEqual([true, true, true]);
  });

  it('short looks keep the session, and write every second minute that the numbers are fresh', async () => {
    const { sessionId } = stage.memory.jobs!;
    const before = stage.writes;
    await next(10);

    expect(stage.memory.jobs).toMatchObject({ sessionId });
    expect(stage.clock.now() - stage.memory.jobs!.statisticsAt!).toBeLessThan(2.1 * minute);
    expect(stage.writes - before).toBe(5);
  });

  it('a job of a quiet fleet is launched for within the look that finds it, and windows are long again', async () => {
    await next(2);
    stage.enqueue();
    expect((await next(1)).short).toEqual([false]);
    expect(stage.capacities).toEqual([1]);

    await stage.addHost('i-1', { workers: 1 });
    expect((await next(2)).short).toEqual([false, false]);
    expect(stage.memory.jobs).not.toHaveProperty('quietSince');
  });

  it('a session that the service ended between two looks is opened again in a window that is as short', async () => {
    stage.host.scaleSets.evict(stage.set);
    const { sessionId } = stage.memory.jobs!;
    expect(await next(1)).toEqual({ short: [true], thrown: [] });
    expect(stage.memory.jobs?.sessionId).not.toBe(sessionId);

    stage.host.scaleSets.evict(stage.set);
    stage.enqueue();
    await next(1);
    expect(stage.capacities).toEqual([1]);
  });

  it('a session of another owner is met by a window, as in a fleet that is not quiet', async () => {
    stage.host.scaleSets.evict(stage.set);
    stage.host.scaleSets.openSession(stage.set, 'somebody');
    await next(2);
    expect(stage.memory.jobs).toMatchObject({ conflicts: 2, heldBy: 'somebody' });
  });

  it('a look leaves a lease that another window holds alone', async () => {
    const lease = { until: stage.clock.now() + 70_000 };
    stage.memory = { ...stage.memory, jobs: { ...stage.memory.jobs, lease } };
    const asked = stage.asked.length;
    await next(1);
    expect(stage.memory.jobs?.lease).toEqual(lease);
    expect(stage.asked.slice(asked)).toEqual([]);
  });

  it('a look at a service in trouble is followed by a window, which fails', async () => {
    stage.engine.faults.add({ service: 'platform', effect: { kind: 'error', status: 503 } });
    const { thrown } = await next(1);
    expect(String(thrown[0])).toContain('503');
    expect(stage.lines.some((line) => line.includes('a short look failed'))).toBe(true);
  });

  it('an idle target that a schedule raises at night is met by a window', async () => {
    stage.idleTarget = 1;
    expect((await next(1)).short).toEqual([false]);
    expect(stage.capacities).toEqual([1]);
  });

  it('a fleet without adaptive windows notes nothing of them, and none of its windows is short', async () => {
    const other = new DemandStage();
    await other.window();
    expect(other.memory.jobs).not.toHaveProperty('quietSince');
    other.memory = { ...other.memory, jobs: { ...other.memory.jobs, quietSince: 0 } };
    await other.windows(2);
    expect(other.durations.filter(isShort)).toEqual([]);
  });
});

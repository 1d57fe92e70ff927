import { describe, expect, it } from 'vitest';
import type { RunnerCounts } from './count-runners.ts';
import { decideDemand } from './decide-demand.ts';

const limits = { target: 1, most: 10 };
const counts = (change: Partial<RunnerCounts>): RunnerCounts => ({
  idle: 0,
  busy: 0,
  offline: 0,
  registeredInService: change.inService ?? 0,
  inService: 0,
  unseen: 0,
  ...change,
});

describe('decideDemand', () => {
  it('decideDemand wants at most the limit for 25 busy runners of which none is idle', () => {
    expect(decideDemand(counts({ inService: 25, busy: 25 }), 0, limits)).toEqual({ idle: 0, wanted: 10 });
    expect(decideDemand(counts({ inService: 500, busy: 500 }), 0, limits).wanted).toBe(10);
  });

  it('decideDemand wants fewer for few runners that work', () => {
    expect(decideDemand(counts({ inService: 2, busy: 2 }), 0, limits).wanted).toBe(8);
  });

  it('decideDemand counts a runner as working before the platform shows it busy', () => {
    expect(decideDemand(counts({ inService: 2 }), 0, limits).wanted).toBeGreaterThan(0);
  });

  it('decideDemand wants no more while launches are under way or a runner is idle', () => {
    expect(decideDemand(counts({ inService: 4, busy: 4 }), 1, limits).wanted).toBe(0);
    expect(decideDemand(counts({ inService: 4, busy: 3, idle: 1 }), 0, limits)).toEqual({ idle: 1, wanted: 0 });
  });

  it('decideDemand takes runners that are offline or not listed for no demand', () => {
    for (const inService of [2, 3, 8, 40])
      expect(decideDemand(counts({ inService, unseen: inService }), 0, limits)).toEqual({ idle: 1, wanted: 0 });
    expect(decideDemand(counts({ inService: 5, busy: 3, unseen: 2 }), 0, limits)).toEqual({ idle: 1, wanted: 0 });
  });

  it('decideDemand never says more idle runners than the target because of runners that are offline', () => {
    expect(decideDemand(counts({ inService: 40, unseen: 40 }), 0, { ...limits, target: 3 }).idle).toBe(3);
    expect(decideDemand(counts({ inService: 9, idle: 5, unseen: 4 }), 0, limits).idle).toBe(5);
  });

  it('decideDemand lets a failed host be made up for: one offline runner does not hide that all others work', () => {
    const { idle, wanted } = decideDemand(counts({ inService: 5, busy: 4, offline: 1, unseen: 1 }), 0, limits);

    expect(idle).toBe(0);
    expect(wanted).toBeGreaterThan(0);
  });

  it('decideDemand leaves a fleet without any runner to the shortfall', () => {
    expect(decideDemand(counts({}), 0, limits)).toEqual({ idle: 0, wanted: 0 });
  });
});

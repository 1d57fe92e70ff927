import { describe, expect, it } from 'vitest';
import { shortfallSteps, wantedSteps } from './scaling.ts';

/** The adjustment that AWS picks below the threshold: lower bound exclusive, upper bound inclusive. */
function adjustment(steps: ReturnType<typeof shortfallSteps>, idle: number, target: number): number | undefined {
  const breach = idle - target;
  return steps.find(
    ({ metricIntervalLowerBound: lower = -Infinity, metricIntervalUpperBound: upper = Infinity }) =>
      breach > lower && breach <= upper,
  )?.scalingAdjustment;
}

describe('steps of the shortfall policy', () => {
  it.each([1, 2, 7, 20])('the shortfall policy adds exactly the shortfall for a target of %i', (target) => {
    for (let idle = 0; idle < target; idle++)
      expect(adjustment(shortfallSteps(target), idle, target)).toBe(target - idle);
  });

  it.each([21, 64, 1000])(
    'the shortfall policy adds at least the shortfall, in at most 20 steps, for a target of %i',
    (target) => {
      const steps = shortfallSteps(target);

      expect(steps.length).toBeLessThanOrEqual(20);
      for (let idle = 0; idle < target; idle++) {
        const added = adjustment(steps, idle, target)!;
        expect(added).toBeGreaterThanOrEqual(target - idle);
        expect(added - (target - idle)).toBeLessThan(Math.ceil(target / 20));
      }
    },
  );
});

/** The adjustment that AWS picks above the threshold: lower bound inclusive, upper bound exclusive. */
const growth = (limit: number, wanted: number): number | undefined =>
  wantedSteps(limit).find(
    ({ metricIntervalLowerBound: lower = -Infinity, metricIntervalUpperBound: upper = Infinity }) =>
      wanted - 1 >= lower && wanted - 1 < upper,
  )?.scalingAdjustment;

describe('steps of the growth policy', () => {
  it.each([1, 10, 20])('the growth policy adds exactly what is wanted up to a limit of %i', (limit) => {
    for (let wanted = 1; wanted <= limit; wanted++) expect(growth(limit, wanted)).toBe(wanted);
  });

  it.each([10, 64, 1000])('the growth policy adds never more than a limit of %i, in at most 20 steps', (limit) => {
    expect(wantedSteps(limit).length).toBeLessThanOrEqual(20);
    for (const wanted of [1, limit - 1, limit, limit + 1, 10 * limit]) {
      expect(growth(limit, wanted)).toBeLessThanOrEqual(limit);
      expect(growth(limit, wanted)).toBeGreaterThanOrEqual(Math.min(limit, wanted));
    }
  });
});

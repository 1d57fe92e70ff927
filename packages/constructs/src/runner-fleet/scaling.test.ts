import { describe, expect, it } from 'vitest';
import { geometricSteps, growthPercent, shortfallSteps } from './scaling.ts';

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

it('the geometric policy grows the group by 300 % at zero idle runners and only there', () => {
  expect(adjustment(geometricSteps(1), 0, 1)).toBe(growthPercent);
  expect(adjustment(geometricSteps(20), 0, 20)).toBe(growthPercent);
  expect(adjustment(geometricSteps(20), 1, 20)).toBe(0);
});

import { describe, expect, it } from 'vitest';
import { type BilledActivity, usageOf } from './usage.ts';

const hour = 3_600_000;
const window = { from: 100 * hour, to: 110 * hour };
const onDemand = { onDemandBase: 0, onDemandPercentage: 100 };
const activity = (description: string, startedAt: number, endedAt?: number): BilledActivity => ({
  description,
  startedAt: startedAt * hour,
  endedAt: endedAt === undefined ? undefined : endedAt * hour,
});
const launch = (id: string, at: number) => activity(`Launching a new EC2 instance: ${id}`, at, at + 0.1);
const end = (id: string, at: number, to?: number) => activity(`Terminating EC2 instance: ${id}`, at, to);
const hoursOf = (activities: readonly BilledActivity[], distribution = onDemand) => {
  const { usage, instances } = usageOf(activities, window, () => 't3a.medium', distribution);
  const { onDemand: paid, spot } = usage.runningHours;
  return {
    instances: instances.length,
    onDemand: paid.get('t3a.medium') ?? 0,
    spot: spot.get('t3a.medium') ?? 0,
    ...usage,
  };
};

describe('hours of instances by scaling activities', () => {
  it('an instance counts from the beginning of its launch to the end of its termination, within the period', () => {
    expect(hoursOf([launch('i-1', 102), end('i-1', 104, 105)])).toMatchObject({ onDemand: 3, volumeHours: 3 });
    expect(hoursOf([launch('i-1', 90), end('i-1', 104, 105)]).onDemand).toBe(5);
    expect(hoursOf([launch('i-1', 108)]).onDemand).toBe(2);
    expect(hoursOf([launch('i-1', 108), end('i-1', 109)]).onDemand).toBe(2);
    expect(hoursOf([launch('i-1', 90), end('i-1', 91, 92)])).toMatchObject({ instances: 0, onDemand: 0 });
    expect(hoursOf([end('i-1', 101, 102)]).onDemand).toBe(2);
  });

  it('an instance of the warm pool is hibernated between its launch into the pool and its launch from it', () => {
    const activities = [
      activity('Launching a new EC2 instance into warm pool: i-1', 101, 102),
      activity('Launching a new EC2 instance from warm pool: i-1', 106, 106.1),
      end('i-1', 108, 109),
    ];
    expect(hoursOf(activities)).toMatchObject({ onDemand: 4, hibernatedHours: 4, volumeHours: 8 });
  });

  it('hours above the on-demand base are spot by the percentage of the group', () => {
    const two = [launch('i-1', 90), launch('i-2', 90)];
    expect(hoursOf(two, { onDemandBase: 1, onDemandPercentage: 0 })).toMatchObject({ onDemand: 10, spot: 10 });
    expect(hoursOf(two, { onDemandBase: 1, onDemandPercentage: 50 })).toMatchObject({ onDemand: 15, spot: 5 });
  });

  it('on demand alone has no spot hours, also where the sum of fractions of hours is a little more than the whole', () => {
    // 10 hours of base, and others whose sum rounds up.
    const lengths = Array.from({ length: 200 }, (_, index) => (index + 1) * 0.03);
    const hours = lengths.map((length) =>
      hoursOf([launch('i-1', 90), launch('i-2', 101), end('i-2', 101 + length, 101 + length)], {
        onDemandBase: 1,
        onDemandPercentage: 100,
      }),
    );

    expect(hours.map(({ spot }) => spot)).toEqual(lengths.map(() => 0));
  });
});

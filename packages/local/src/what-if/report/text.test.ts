import { expect, it } from 'vitest';
import type { Comparison } from './comparison.ts';
import { comparisonText } from './text.ts';

it('the tables of what-if fit 80 columns with a name of 18 characters', () => {
  const figures = {
    name: 'larger-idle-target',
    waitSeconds: { p50: 3_000, p95: 3_500, p99: 3_540, max: 3_590 },
    jobs: { lost: 10, unfinished: 0, lostBecause: {} },
    cost: { total: 12_345.67 },
    runnerHours: { total: 12_345.6, spot: 685.5 },
    warmPoolHours: 1_239.1,
    idleShare: 0.8,
    peakRunners: 117,
    platformRequests: { perHour: 1_240, countedPerHour: 700 },
  };
  const comparison = {
    trace: { jobs: [], startMs: 0, endMs: 1 },
    prices: { currency: 'USD', region: 'us-east-1', date: '2026-06' },
    figures: [figures],
  } as unknown as Comparison;
  const tables = comparisonText(comparison)
    .split('\n')
    .filter((line) => /^(configuration|larger-idle-target) /.test(line));
  expect(tables).toHaveLength(4);
  expect(tables.filter((line) => line.length > 80)).toEqual([]);
});

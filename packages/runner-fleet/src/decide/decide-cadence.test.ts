import { expect, it } from 'vitest';
import type { RunnerList } from '../model/memory.ts';
import { listIsDue } from './decide-cadence.ts';

const now = 1_000_000_000;
const pages = (count: number, ageMs: number): RunnerList => ({
  at: now - ageMs,
  pages: Array.from({ length: count }, () => ({ total: 0, runners: [] })),
});
const budget = (remaining: number, minutesToReset = 60) => ({
  limit: 5000,
  remaining,
  resetAt: now + minutesToReset * 60_000,
});

const table: [string, RunnerList | undefined, ReturnType<typeof budget> | undefined, boolean][] = [
  ['lists at first', undefined, undefined, true],
  ['lists every minute when the budget allows', pages(1, 60_000), budget(4000), true],
  ['lists although the schedule came a little early', pages(1, 45_000), budget(4000), true],
  ['does not list twice in a minute', pages(1, 20_000), budget(4000), false],
  ['waits a second minute when 100 pages would use the hour up', pages(100, 60_000), budget(5000), false],
  ['lists 100 pages every second minute', pages(100, 120_000), budget(5000), true],
  ['waits a second minute when little is left', pages(10, 60_000), budget(100, 30), false],
  ['lists every minute again shortly before the reset', pages(10, 60_000), budget(100, 5), true],
];

it.each(table)('%s', (_, known, left, due) => {
  expect(listIsDue(known, left, now)).toBe(due);
});

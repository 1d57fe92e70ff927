import { expect, it } from 'vitest';
import type { Figures } from '../replay/figures.ts';
import { because } from './because.ts';

const figures = (name: string, p95: number, cost: number, running: readonly number[], waiting: readonly number[]) =>
  ({
    name,
    waitSeconds: { p50: 1, p95, p99: p95, max: p95 },
    jobs: { unfinished: 0 },
    cost: { total: cost },
    runnerHours: { total: 10 },
    idleShare: 0.5,
    peakRunners: Math.max(...running),
    overTime: { stepMs: 60_000, running, waiting, busy: [] },
  }) as unknown as Figures;

it('what-if says why nothing cheaper is good enough, with the queue of the closest one', () => {
  const all = [figures('idle 1', 600, 5, [1, 4, 2], [0, 9, 1]), figures('idle 4', 60, 8, [4, 5, 4], [0, 1, 0])];
  expect(because(all, 120)).toEqual([
    'Because of those that cost less, the best is idle 1, where 95 of 100 jobs wait up to 10.0 min: up to 9 jobs waited at once, with 4 of at most 4 runners running.',
  ]);
  expect(because(all, 900)).toEqual(['Because no configuration costs less.']);
});

it('what-if explains an order that surprises: fewer idle runners, and a higher cost', () => {
  const all = [
    figures('idle 1, max 8', 60, 9, [1, 6, 2, 6], [0, 0]),
    figures('idle 2, max 8', 60, 8, [2, 5, 5], [0, 0]),
  ];
  expect(because(all, undefined)).toEqual([
    'idle 1, max 8 costs more than idle 2, max 8, because what it saves in idle runners it spends on growing: it launched about 10 runners against 5, 6 against 5 at the peak, and 5.0 against 5.0 runner-hours had no job.',
  ]);
});

it('what-if says why no configuration is good enough, with the queue of the one with the shortest wait', () => {
  const all = [figures('max 4', 900, 5, [1, 4], [0, 12]), figures('max 8', 600, 8, [1, 8], [0, 9])];
  expect(because(all, 120)).toEqual([
    'Because even with max 8, 95 of 100 jobs wait up to 10.0 min: up to 9 jobs waited at once, with 8 of at most 8 runners running.',
  ]);
});

it('what-if explains an order that surprises: a smaller maximum, and a higher cost', () => {
  const all = [
    figures('idle target 2, max 8', 60, 9, [2, 8], [0]),
    figures('idle target 2, max 16', 60, 8, [2, 9], [0]),
  ];
  expect(because(all, undefined)).toEqual([
    'idle target 2, max 8 costs more than idle target 2, max 16, because a queue that is served more slowly keeps its runners longer: it launched about 8 runners against 9, 8 against 9 at the peak, and 5.0 against 5.0 runner-hours had no job.',
  ]);
});

it('what-if explains why a fixed number of runners beats a fleet that scales', () => {
  const all = [figures('fleet', 60, 9, [1, 6, 2, 6], [0]), figures('fleet, 4 at all times', 60, 8, [4, 4], [0])];
  expect(because(all, undefined)).toEqual([
    'fleet costs more than fleet, 4 at all times and waits no less, because it grows in steps and gives back slowly: it launched about 10 runners against 4, 6 against 4 at the peak, and 5.0 against 5.0 runner-hours had no job.',
  ]);
});

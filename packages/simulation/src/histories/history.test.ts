import { expect, it } from 'vitest';
import { playAgain } from './again.ts';
import { simulateHistory } from './history.ts';

/** Small, for the processor's sake; it has no zone to lose. */
const cluster = { masterCount: 1, dataCount: 2 } as const;

it('a short history of a fleet and a cluster in one world has an act, a fault, and one more loss that both survive', {
  timeout: 300_000,
}, async () => {
  const short = { hours: 0.5, acts: 1, faults: 1, restMinutes: 10 };
  const history = await simulateHistory({ seed: 3, mode: 'jobs', plain: true, cluster, ...short });

  expect(history.violations, history.told.join('\n')).toEqual([]);
  expect(history.jobs.completed).toBeGreaterThan(0);
  expect(history.told.filter((line) => line.includes('one more loss'))).toHaveLength(2);
});

it('a runner is lost, and when that is made good an operator terminates another, in one world with a cluster', {
  timeout: 300_000,
}, async () => {
  const part = ['a runner is lost', 'terminate a runner'];
  const played = await playAgain(1, { mode: 'idle', part, cluster, restMinutes: 10 });

  expect(played.violations, played.told.join('\n')).toEqual([]);
  expect(played).toMatchObject({ tried: 1, skipped: [] });
});

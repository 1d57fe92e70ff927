import { expect, it } from 'vitest';
import { simulateClusterYear } from './cluster-year.ts';

// A year, other seeds: `npm run campaign -- --scenario cluster-year`.
it('authority, token and passwords of a cluster are replaced under faults: no client is refused for longer than a retry, and nothing is left over', {
  timeout: 300_000,
}, async () => {
  const year = await simulateClusterYear({ seed: 2, days: 24, everyDays: 7, authorityEveryDays: 9 });
  expect(year.violations).toEqual([]);
  expect(Math.min(year.tokens, year.passwords)).toBeGreaterThan(2);
  expect(year.authorities).toBeGreaterThan(1);
  expect(year.faults).toBeGreaterThan(0);
});

import { expect, it } from 'vitest';
import { simulateAuthority } from './cluster-authority.ts';

// Every call, before and after it: `npm run campaign -- --scenario cluster-authority --seeds 8`.
it("the authority of the nodes' certificates is replaced once although the driver dies at every fourth of its calls: no node leaves or restarts", async () => {
  const { violations, deaths } = await simulateAuthority({ seed: 1 });
  console.log(`${deaths.length} deaths (${[...new Set(deaths)].join(', ')})`);

  expect(violations).toEqual([]);
  expect(deaths.length).toBeGreaterThan(5);
}, 300_000);

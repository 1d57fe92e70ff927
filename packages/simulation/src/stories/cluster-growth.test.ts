import { expect, it } from 'vitest';
import { simulateGrowth } from '../scenarios/growth/cluster-growth.ts';

// Every call, before and after it: `npm run campaign -- --scenario cluster-growth --seeds 8`.
it('volumes of a search cluster grow from 500 GiB to 2 TiB although the driver dies at every fourth of its calls: nothing restarts, no shard moves, and a node that is launched later has the size too', async () => {
  const { violations, deaths } = await simulateGrowth({ seed: 1 });
  console.log(`${deaths.length} deaths`);

  expect(violations).toEqual([]);
  expect(deaths.length).toBeGreaterThan(3);
}, 300_000);

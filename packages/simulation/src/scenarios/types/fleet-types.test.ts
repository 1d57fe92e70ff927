import { expect, it } from 'vitest';
import { simulateFleetTypes } from './fleet-types.ts';

// A reduced number: `npm run campaign -- --scenario fleet-types` runs whole days with any number of seeds.
it.each([1])(
  'hours of a fleet whose types come, change and go keep every invariant with seed %i',
  { timeout: 300_000 },
  async (seed) => {
    const run = await simulateFleetTypes({ seed, hours: 1, restHours: 2, acts: 2 });

    expect(run.violations, `replay: npm run campaign -- --scenario fleet-types --first-seed ${seed} --seeds 1`).toEqual(
      [],
    );
    expect(run.jobs.completed).toBeGreaterThan(3);
  },
);

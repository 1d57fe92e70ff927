import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { describe, expect, it } from 'vitest';
import { fleetVariants, simulateFleetDay, variantOf } from './fleet-day.ts';

describe('hours of a fleet with random faults', () => {
  const groupName = 'runners';

  // A reduced number: `npm run campaign -- --scenario fleet` runs whole days with any number of seeds.
  it.each(process.env.DROVER_THOROUGH === '1' ? [101, 102, 103] : [101])(
    'keeps every invariant with seed %i',
    { timeout: 300_000 },
    async (seed) => {
      const variant = variantOf(seed);
      const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-day-')), {
        groupName,
        ...fleetVariants[variant],
      });

      const day = await simulateFleetDay({ seed, assembly, groupName, hours: 3, jobs: 80 });

      expect(day.violations, `replay: npm run campaign -- --scenario fleet --first-seed ${seed} --seeds 1`).toEqual([]);
      expect(day.jobs.completed).toBeGreaterThan(40);
    },
  );
});

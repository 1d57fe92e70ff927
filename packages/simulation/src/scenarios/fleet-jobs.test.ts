import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { expect, it } from 'vitest';
import { jobsVariantOf, jobsVariants, simulateFleetJobs } from './fleet-jobs.ts';

const groupName = 'runners';

// A reduced number: `npm run campaign -- --scenario fleet-jobs` runs more hours with any number of seeds.
it.each(process.env.DROVER_THOROUGH === '1' ? [103, 104] : [103])(
  'hours of a fleet in jobs mode keep every invariant with seed %i',
  {
    timeout: 300_000,
  },
  async (seed) => {
    const inputs = { groupName, scalingMode: 'jobs', ...jobsVariants[jobsVariantOf(seed)] } as const;
    const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-jobs-')), inputs);

    const run = await simulateFleetJobs({ seed, assembly, groupName, hours: 2, restHours: 2 });

    expect(run.violations, `replay: npm run campaign -- --scenario fleet-jobs --first-seed ${seed} --seeds 1`).toEqual(
      [],
    );
    expect(run.jobs.completed).toBeGreaterThan(5);
  },
);

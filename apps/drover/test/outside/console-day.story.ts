import type { ScalingMode } from '@drover/core/names/runner-fleet';
import { expect, it } from 'vitest';
import { compareMoments, faultsOfADay } from '../compared-moments.test-support.ts';
import { deployWorld, exampleDeployment } from '../local-world.test-support.ts';

it.each<ScalingMode>(['idle', 'jobs'])(
  'at 20 moments of a day with faults, the console of an account shows what the world shows, of a cluster and a fleet that scales on %s, by at most two AWS calls a second',
  async (scalingMode) => {
    const deployed = await deployWorld(await exampleDeployment({ scalingMode }), {
      jobsPerHour: 20,
      choices: { scalingMode },
    });
    const { hours, calls } = await compareMoments(deployed, {
      gapMinutes: 71,
      acts: faultsOfADay,
      incidentsAfter: 2,
    });
    expect(hours).toBeGreaterThanOrEqual(24);
    expect(calls).toBeGreaterThan(1_000);
  },
  1_200_000,
);

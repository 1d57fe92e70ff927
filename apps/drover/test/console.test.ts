import { describe, expect, it } from 'vitest';
import { deployWorld, exampleDeployment } from '../../../packages/local/test/local-world.test-support.ts';
import { type Act, compareMoments, faultsOfADay } from './compared-moments.test-support.ts';

const toJobsMode: Act = async ({ local, control }) => {
  await control('change-inputs', { mode: 'jobs' });
  await local.clock.advance(10 * 60_000);
};

/** Hours instead of a day, and one world for both modes. */
describe('drover console', () => {
  it('the console, with the printed policy alone, shows what the world shows at ten moments of hours full of faults, of a cluster and a fleet that changes to jobs mode, by at most two AWS calls a second', async () => {
    const deployed = await deployWorld(await exampleDeployment(), { jobsPerHour: 20 });
    const acts = { ...faultsOfADay, 12: toJobsMode };
    const { calls } = await compareMoments(deployed, {
      gapMinutes: 4,
      acts,
      lookEvery: process.env.DROVER_THOROUGH === '1' ? 2 : 5,
    });
    expect(calls).toBeGreaterThan(500);
  }, 600_000);
});

import { expect, it } from 'vitest';
import { deployWorld, exampleDeployment } from '../../../../packages/local/test/local-world.test-support.ts';
import { type Act, compareMoments, faultsOfADay } from '../compared-moments.test-support.ts';

const toJobsMode: Act = ({ control }) => control('change-inputs', { mode: 'jobs' });

it('at 20 moments of a day full of faults, the console of an account shows what the world shows, of a cluster and a fleet that scales on idle runners until noon and on waiting jobs after it', async () => {
  const deployed = await deployWorld(await exampleDeployment(), { jobsPerHour: 12 });
  const acts = { ...faultsOfADay, 8: toJobsMode };
  const { hours } = await compareMoments(deployed, { gapMinutes: 71, acts });
  expect(hours).toBeGreaterThan(23);
}, 3_600_000);

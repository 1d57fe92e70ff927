import { expect, it } from 'vitest';
import { deployWorld, exampleDeployment } from '../../../../packages/local/test/local-world.test-support.ts';
import { type Act, compareMoments, faultsOfADay } from '../compared-moments.test-support.ts';

const toJobsMode: Act = ({ control }) => control('change-inputs', { mode: 'jobs' });
/** `npm run test:browser -- --all` plays a whole day, CI twelve hours with the same faults. */
const [gapMinutes, hoursAtLeast] = process.env.DROVER_ALL === '1' ? [71, 23] : [35, 11];

it('at 20 moments of hours full of faults, the console of an account shows what the world shows, of a cluster and a fleet that scales on idle runners in the first part and on waiting jobs in the second', async () => {
  const deployed = await deployWorld(await exampleDeployment(), { jobsPerHour: 12 });
  const acts = { ...faultsOfADay, 8: toJobsMode };
  const { hours } = await compareMoments(deployed, { gapMinutes, acts });
  expect(hours).toBeGreaterThan(hoursAtLeast);
}, 3_600_000);

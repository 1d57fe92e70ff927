import { afterAll, beforeAll, describe, it } from 'vitest';
import { idleFleet, jobsWhileHostsLeave, rounds } from '../linux/leaving-hosts.ts';
import type { LinuxFleet } from '../linux/linux-fleet.ts';

let fleet: LinuxFleet;
beforeAll(async () => {
  // No more: those that leave still run when others take their places.
  fleet = await idleFleet({ scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: rounds, idleRunnersTargetCount: rounds });
});
afterAll(async () => await fleet?.end());

describe('idle runners of jobs mode that leave while jobs come', () => {
  it(`jobs sent to ${rounds} idle hosts of jobs mode in the second in which each begins to leave are not lost, and none runs twice`, async () => {
    await jobsWhileHostsLeave(fleet);
  });
});

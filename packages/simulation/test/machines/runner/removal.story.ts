import { afterAll, beforeAll, describe, it } from 'vitest';
import { idleFleet, jobsWhileHostsLeave, rounds } from '../linux/leaving-hosts.ts';
import type { LinuxFleet } from '../linux/linux-fleet.ts';

let fleet: LinuxFleet;
beforeAll(async () => {
  fleet = await idleFleet({ asgMinSize: rounds, asgMaxSize: 2 * rounds, idleRunnersTargetCount: 1 });
});
afterAll(async () => await fleet?.end());

describe('idle runners that leave while jobs come', () => {
  it(`jobs sent to ${rounds} idle hosts in the second in which each begins to leave are not lost, and none runs twice`, async () => {
    await jobsWhileHostsLeave(fleet);
  });
});

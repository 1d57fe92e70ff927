import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux-fleet.ts';

let fleet: LinuxFleet;
beforeAll(async () => {
  fleet = await LinuxFleet.start();
  await fleet.fleet.deploy();
});
afterAll(async () => await fleet?.end());

describe('a runner on a real machine', () => {
  it('comes into service', async () => {
    await fleet.untilOnline(1, 5);
    expect(fleet.online).toHaveLength(1);
  });
});

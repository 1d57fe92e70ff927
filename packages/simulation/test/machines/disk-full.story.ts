import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux/linux-fleet.ts';

const mebibyte = 1024 ** 2;
let fleet: LinuxFleet;
let id: string;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({}, { diskBytes: 2048 * mebibyte });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

describe('a host whose disk is full', () => {
  it('a host whose disk fills up takes no further job and says why; another instance takes the jobs', async () => {
    await fleet.machine(id).fillDisk(100 * mebibyte);
    await fleet.untilRuns('its listener is stopped', id, '! systemctl is-active --quiet actions-runner', 240);
    const log = await fleet.run(id, 'journalctl --unit=runner-agent --output=cat');
    expect(log).toMatch(/"message":"this host takes no further job".*"because":"disk-full"/);
    expect(log).not.toContain('the report could not be written');
    const job = fleet.job(1);
    await fleet.setDesired(2);
    await fleet.untilJob(job, 'completed', 240);
    expect(job).toMatchObject({ result: 'succeeded' });
    expect(job.runnerName).not.toBe(id);
    // The functions replace it when two of their readings, a quarter of an hour apart, say the same: host-trouble.test.ts.
  });
});

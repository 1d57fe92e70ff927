import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux-fleet.ts';

const mebibyte = 1024 ** 2;
let fleet: LinuxFleet;
let id: string;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({}, { diskBytes: 2048 * mebibyte });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

describe('a host whose disk is full', () => {
  it('a host whose disk fills up is drained and replaced, and gets no job meanwhile', async () => {
    await fleet.machine(id).fillDisk(100 * mebibyte);
    await fleet.untilSeconds('it is on its way out', () => /^(Terminating|gone)/.test(fleet.stateOf(id)), 300);
    const job = fleet.job(1);
    await fleet.untilSeconds('it left the group', () => fleet.stateOf(id) === 'gone', 400);
    await fleet.untilJob(job, 'completed', 300);
    expect(job.runnerName).not.toBe(id);
  });
});

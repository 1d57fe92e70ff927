import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';

let fleet: LinuxFleet;
let id: string;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({ onDemandBaseCapacity: 0 });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

describe('a spot instance that is taken away', () => {
  it('a host with a spot notice finishes the job that runs, takes no other, and says why', async () => {
    const job = fleet.job(45);
    await fleet.untilJob(job, 'running', 60);
    fleet.fleet.world.operate.reclaimSpot(id);
    const said = 'journalctl --unit=runner-agent --output=cat | grep --quiet \'"because":"spot-notice"\'';
    await fleet.untilRuns('the agent has seen the notice', id, said, 60);
    const next = fleet.job(1);
    await fleet.untilJob(job, 'completed', 90);
    expect(job).toMatchObject({ result: 'succeeded', runnerName: id });
    await fleet.untilSeconds('it is off', () => !fleet.running.includes(id), 120);
    await fleet.untilJob(next, 'completed', 240);
    expect(next).toMatchObject({ result: 'succeeded' });
    expect(next.runnerName).not.toBe(id);
  });
});

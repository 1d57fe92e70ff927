import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';

let fleet: LinuxFleet;
let parked: string;

const found = () => [...fleet.group.members.values()].find(({ state }) => state === 'Warmed:Hibernated');

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({ imageFamily: 'ubuntu-22.04', warmPoolMinSize: 1, warmPoolMaxSize: 2 });
  await fleet.oneOnline();
  await fleet.untilSeconds('an instance is hibernated', () => found() !== undefined, 400);
  parked = found()!.instanceId;
});
afterAll(async () => await fleet?.end());

describe('an instance of the warm pool', () => {
  it('a host that waits in the pool stands still, and GitHub can give it no job', async () => {
    expect(fleet.machine(parked).bootCount).toBe(1);
    const cpu = () => fleet.machine(parked).processorTime();
    const before = cpu();
    await fleet.run(fleet.online[0]!, 'sleep 90');
    expect(cpu()).toBe(before);
    expect(fleet.online).not.toContain(parked);
  });

  it('a host that leaves the pool goes on without a second boot although its clock has leapt, and runs a job', async () => {
    await fleet.setDesired(2);
    await fleet.untilSeconds('it is in service', () => fleet.stateOf(parked) === 'InService', 240);
    await fleet.untilSeconds('its runner is online', () => fleet.online.includes(parked), 120);
    expect(fleet.machine(parked).bootCount).toBe(1);
    expect(await fleet.run(parked, 'systemctl --failed --no-legend --plain')).toBe('');
    const jobs = [fleet.job(20), fleet.job(20)];
    for (const job of jobs) await fleet.untilJob(job, 'completed', 120);
    expect(jobs.map(({ result }) => result)).toEqual(['succeeded', 'succeeded']);
    expect(jobs.map(({ runnerName }) => runnerName)).toContain(parked);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';

const rounds = 5;
let fleet: LinuxFleet;
let begun: ReadonlyMap<string, number>;

beforeAll(async () => {
  const sizes = { asgMinSize: rounds, asgMaxSize: 2 * rounds, idleRunnersTargetCount: 1 };
  fleet = await LinuxFleet.deploy(sizes);
  begun = fleet.countBegun();
  await fleet.untilSeconds('all runners are online', () => fleet.online.length >= rounds, 400);
});
afterAll(async () => await fleet?.end());

describe('idle runners that leave while jobs come', () => {
  it(`jobs sent to ${rounds} idle hosts in the second in which each begins to leave are not lost, and none runs twice`, async () => {
    const leaving = fleet.online.slice(0, rounds);
    const jobs = [];
    for (const id of leaving) {
      jobs.push(fleet.job(5));
      await fleet.terminate(id, false);
    }
    const inGitHub = () => leaving.filter((id) => fleet.online.includes(id));
    await fleet.untilSeconds('the functions or the hosts have removed them', () => inGitHub().length === 0, 300);
    for (const job of jobs) await fleet.untilJob(job, 'completed', 300);
    expect(jobs.map(({ result }) => result)).toEqual(jobs.map(() => 'succeeded'));
    expect([...begun.values()]).toEqual(jobs.map(() => 1));
    for (const id of leaving) await fleet.untilSeconds(`${id} left the group`, () => fleet.stateOf(id) === 'gone', 240);
  });
});

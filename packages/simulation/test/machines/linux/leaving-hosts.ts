import type { FleetProps } from '@drover/stage/fleet-template';
import { expect } from 'vitest';
import { LinuxFleet } from './linux-fleet.ts';

/** Hosts that leave, and jobs that come meanwhile. */
export const rounds = 5;

/** A fleet whose runners are all online and idle. */
export async function idleFleet(inputs: FleetProps): Promise<LinuxFleet> {
  const fleet = await LinuxFleet.deploy(inputs);
  await fleet.untilSeconds('all runners are online', () => fleet.online.length >= rounds, 400);
  return fleet;
}

/** A job is sent in the second in which each host begins to leave: all succeed, none runs twice, and the hosts go. */
export async function jobsWhileHostsLeave(fleet: LinuxFleet): Promise<void> {
  const begun = fleet.countBegun();
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
}

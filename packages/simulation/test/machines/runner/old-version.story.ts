import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';

const minute = 60_000;
let fleet: LinuxFleet;

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({ asgMinSize: 2, asgMaxSize: 3, idleRunnersTargetCount: 1 }, { runner: 'original' });
  await fleet.untilSeconds('both runners are online', () => fleet.online.length >= 2, 400);
});
afterAll(async () => await fleet?.end());

/** Of the files that belong to root. */
const digest = (id: string) =>
  fleet.run(id, 'cd /opt/actions-runner && find . -user root -type f | sort | xargs sha256sum | sha256sum');

describe('a version of the runner that GitHub serves no more', () => {
  it('while GitHub calls every version too old listeners end and change no program; afterwards the fleet serves jobs', async () => {
    const hosts = [...fleet.online];
    const before = await Promise.all(hosts.map(digest));
    const job = fleet.job(600);
    await fleet.untilJob(job, 'running', 60);
    fleet.fleet.codeHost.registry.callAllDeprecated(4 * minute);
    for (const id of hosts)
      await fleet.untilRuns(
        `the listener of ${id} was notified`,
        id,
        "journalctl --unit=actions-runner --output=cat | grep --quiet --ignore-case 'deprecated'",
        120,
      );
    await fleet.untilSeconds('the job is over', () => job.endedAt !== undefined, 120);
    expect(job.result).not.toBe('succeeded');
    expect(await Promise.all(hosts.map(digest))).toEqual(before);
    const next = [fleet.job(30), fleet.job(30)];
    for (const each of next) await fleet.untilJob(each, 'completed', 900);
    expect(next.map(({ result }) => result)).toEqual(['succeeded', 'succeeded']);
  });
});

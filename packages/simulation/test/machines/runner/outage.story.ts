import type { HttpHandler } from '@drover/cloud-engine';
import type { Job } from '@drover/cloud-github';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';
import { say } from '../linux/linux-world.ts';

const minutes = 60;
/** Longer than the slowest kind of outage needs to end a job. */
const outage = 12 * minutes;
/** Minutes with GitHub away until the step of a job was cancelled, as decision 82 has them of the original, widened by a fifth. */
const cancelledAfter = { refused: [0.64, 2.32], unavailable: [3.5, 7.84], 'no-answer': [7.27, 12.82] } as const;
const cancelled = '/var/tmp/cancelled';
const script = `trap 'date +%s > ${cancelled}; exit 1' INT
sleep ${outage + 2 * minutes} > /dev/null 2>&1 & wait`;

type How = 'refused' | 'unavailable' | 'no-answer' | 'token';
const kinds: readonly How[] = ['refused', 'unavailable', 'no-answer', 'token'];
/** How GitHub is away for each machine, at the front of the cloud. */
const away = new Map<string, How>();
const unavailable = { status: 503, headers: {}, body: 'upstream connect error' };

const front =
  (id: string, http: HttpHandler): HttpHandler =>
  async (request) => {
    const how = /amazonaws\.com$/.test(request.host) ? undefined : away.get(id);
    const struck = how === 'unavailable' || (how === 'token' && request.path.includes('/oauth2/'));
    return struck ? unavailable : await http(request);
  };

/** On the machine itself: no connection, or no packet that arrives. */
const rule = { refused: 'reject with tcp reset', 'no-answer': 'drop' } as const;
const cut = (how: keyof typeof rule) => `address=$(getent ahostsv4 api.github.com | head --lines=1 | cut -d ' ' -f 1)
nft add table inet story
nft add chain inet story out '{ type filter hook output priority 0; }'
nft add rule inet story out ip daddr $address meta l4proto tcp ${rule[how]}`;

let fleet: LinuxFleet;
let begun: ReadonlyMap<string, number>;
const jobs = new Map<How, Job>();

beforeAll(async () => {
  const sizes = { asgMinSize: kinds.length, asgMaxSize: 2 * kinds.length, idleRunnersTargetCount: 1 };
  fleet = await LinuxFleet.deploy(sizes, { runner: 'original', intercept: front });
  await fleet.untilSeconds('all runners are online', () => fleet.online.length >= kinds.length, 500);
  begun = fleet.countBegun();
});
afterAll(async () => await fleet?.end());

/** When it began, by the clock of the machine. */
async function goAway(how: How, id: string): Promise<number> {
  if (how === 'refused' || how === 'no-answer') await fleet.run(id, cut(how));
  else away.set(id, how);
  return Number(await fleet.run(id, 'date +%s'));
}

describe('hosts for which GitHub is away during a job', () => {
  it('GitHub away for twelve minutes ends a job by its kind; the token service alone ends none', async () => {
    for (const how of kinds) jobs.set(how, fleet.job(0, script));
    for (const job of jobs.values()) await fleet.untilJob(job, 'running', 120);
    const hostOf = (how: How) => jobs.get(how)!.runnerName!;
    // Renewed once before.
    await fleet.run(hostOf('token'), 'sleep 70');
    const since = new Map<How, number>();
    for (const how of kinds) since.set(how, await goAway(how, hostOf(how)));
    await fleet.run(hostOf('token'), `sleep ${outage}`);
    const after: Partial<Record<How, number>> = {};
    for (const how of kinds) {
      const at = Number((await fleet.try(hostOf(how), `cat ${cancelled}`)).stdout);
      if (at > 0) after[how] = (at - since.get(how)!) / minutes;
    }
    say(`the step was cancelled after minutes ${JSON.stringify(after)}`);
    away.clear();
    for (const how of ['refused', 'no-answer'] as const) await fleet.try(hostOf(how), 'nft delete table inet story');
    for (const [how, job] of jobs) {
      await fleet.untilSeconds(`the job with ${how} is over`, () => job.endedAt !== undefined, 5 * minutes);
      if (how === 'token') expect(job.result).toBe('succeeded');
      else expect(job.result, how).not.toBe('succeeded');
    }
    expect(after.token).toBeUndefined();
    for (const [how, [least, most]] of Object.entries(cancelledAfter) as [
      keyof typeof cancelledAfter,
      [number, number],
    ][]) {
      expect(after[how], how).toBeGreaterThan(least);
      expect(after[how], how).toBeLessThan(most);
    }
  });

  it('once GitHub is back the fleet serves as many jobs as before, and none has run twice', async () => {
    const next = kinds.map(() => fleet.job(20));
    for (const job of next) await fleet.untilJob(job, 'completed', 10 * minutes);
    expect(next.map(({ result }) => result)).toEqual(kinds.map(() => 'succeeded'));
    expect([...begun.values()].every((times) => times === 1)).toBe(true);
  });
});

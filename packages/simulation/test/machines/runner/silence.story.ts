import type { Job } from '@drover/cloud-github';
import type { FleetProps } from '@drover/stage/fleet-template';
import { afterEach, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';

const hosts = 5;
let fleet: LinuxFleet | undefined;
afterEach(async () => await fleet?.end());

const modes: readonly { readonly mode: string; readonly inputs: FleetProps }[] = [
  { mode: 'idle', inputs: { asgMinSize: hosts, asgMaxSize: 2 * hosts, idleRunnersTargetCount: 1 } },
  {
    mode: 'jobs',
    inputs: { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 2 * hosts, idleRunnersTargetCount: hosts },
  },
];

describe('idle hosts that stop alone', () => {
  it.each(modes)(
    `$mode mode: jobs sent in the moment in which each of ${hosts} hosts falls silent are not lost, and none runs twice`,
    async ({ inputs }) => {
      const running = await LinuxFleet.deploy(inputs);
      fleet = running;
      await running.untilSeconds('all runners are online', () => running.online.length >= hosts, 600);
      const begun = running.countBegun();
      const leaving = running.online.slice(0, hosts);
      const mend = running.fault({ service: 'lambda', effect: { kind: 'throttle' } });
      for (const id of leaving) await running.terminate(id, false);
      const jobs: Job[] = [];
      const isSilent = 'nft list table inet drover_drain > /dev/null 2>&1';
      const sendWhenSilent = async (id: string) => {
        await running.untilRuns(
          `${id} falls silent`,
          id,
          `for try in $(seq 20); do ${isSilent} && exit 0; sleep 0.02; done; exit 1`,
          400,
        );
        jobs.push(running.job(5));
      };
      await Promise.all(leaving.map(sendWhenSilent));
      for (const id of leaving) await running.untilSeconds(`${id} is off`, () => !running.running.includes(id), 600);
      mend();
      for (const job of jobs) await running.untilJob(job, 'completed', 900);
      expect(jobs.map(({ result }) => result)).toEqual(jobs.map(() => 'succeeded'));
      expect([...begun.values()]).toEqual(jobs.map(() => 1));
    },
  );
});

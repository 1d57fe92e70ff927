import type { HttpHandler } from '@drover/cloud-engine';
import type { Job } from '@drover/cloud-github';
import type { FleetProps } from '@drover/stage/fleet-template';
import { afterEach, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';

const hosts = 5;
/** Of these, how many acquire a job that they learn of when they are silent already. */
const acquiring = 2;
let fleet: LinuxFleet | undefined;
afterEach(async () => await fleet?.end());

const modes: readonly { readonly mode: string; readonly inputs: FleetProps }[] = [
  { mode: 'idle', inputs: { asgMinSize: hosts, asgMaxSize: 2 * hosts, idleRunnersTargetCount: 1 } },
  {
    mode: 'jobs',
    inputs: { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 2 * hosts, idleRunnersTargetCount: hosts },
  },
];

const isSilent = 'nft list table inet drover_drain > /dev/null 2>&1';

/** In the fiftieth of a second in which it does, or a little later. */
async function fallsSilent(id: string): Promise<void> {
  const look = `for try in $(seq 20); do ${isSilent} && exit 0; sleep 0.02; done; exit 1`;
  await fleet!.untilRuns(`${id} falls silent`, id, look, 400);
}

describe('idle hosts that stop alone', () => {
  it.each(modes)(
    `$mode mode: jobs that ${hosts} hosts acquire or are sent in the moment in which each falls silent are not lost, and none runs twice`,
    async ({ inputs }) => {
      const acquired = new Map<string, Promise<void>>();
      /** GitHub gives the job to a host, whose listener learns it when the host is silent: its next connection is refused. */
      const intercept =
        (id: string, http: HttpHandler): HttpHandler =>
        async (request) => {
          const response = await http(request);
          if (request.path.endsWith('/acquirejob') && acquired.size < acquiring) {
            acquired.set(id, fallsSilent(id));
            await acquired.get(id);
          }
          return response;
        };
      const running = await LinuxFleet.deploy(inputs, { intercept });
      fleet = running;
      await running.untilSeconds('all runners are online', () => running.online.length >= hosts, 600);
      const begun = running.countBegun();
      const leaving = running.online.slice(0, hosts);
      const mend = running.fault({ service: 'lambda', effect: { kind: 'throttle' } });
      const early = Array.from({ length: acquiring }, () => running.job(5));
      await running.untilSeconds('jobs are acquired', () => acquired.size === acquiring, 60);
      for (const id of leaving) await running.terminate(id, false);
      const late: Job[] = [];
      const sendWhenSilent = async (id: string) => {
        await fallsSilent(id);
        late.push(running.job(5));
      };
      await Promise.all(leaving.filter((id) => !acquired.has(id)).map(sendWhenSilent));
      for (const job of early) await running.untilJob(job, 'completed', 120);
      expect(early.map(({ runnerName }) => runnerName).sort()).toEqual([...acquired.keys()].sort());
      for (const id of leaving) await running.untilSeconds(`${id} is off`, () => !running.running.includes(id), 600);
      mend();
      const jobs = [...early, ...late];
      for (const job of jobs) await running.untilJob(job, 'completed', 900);
      expect(jobs.map(({ result }) => result)).toEqual(jobs.map(() => 'succeeded'));
      expect([...begun.values()]).toEqual(jobs.map(() => 1));
    },
  );
});

import type { HttpHandler } from '@drover/cloud-engine';
import type { Job } from '@drover/cloud-github';
import { afterEach, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';
import { stepRuns } from '../linux/runner-programs.ts';

let fleet: LinuxFleet | undefined;
afterEach(async () => await fleet?.end());

const runnerNamed = (name: string) => fleet!.fleet.codeHost.registry.runners.find((runner) => runner.name === name)!;
const removed = (name: string) => fleet!.fleet.codeHost.registry.withdraw(runnerNamed(name));

/** The host on which a job of ten minutes runs. */
async function busyHost(job: Job): Promise<string> {
  await fleet!.untilJob(job, 'running', 120);
  await fleet!.untilRuns('its step runs', job.runnerName!, stepRuns, 30);
  return job.runnerName!;
}

/** Each host has left the group within this time, and as many others serve a job. */
async function replaced(hosts: readonly string[], seconds: number): Promise<void> {
  for (const id of hosts)
    await fleet!.untilSeconds(`${id} left the group`, () => fleet!.stateOf(id) === 'gone', seconds);
  const jobs = hosts.map(() => fleet!.job(20));
  for (const job of jobs) await fleet!.untilJob(job, 'completed', 600);
  for (const job of jobs) {
    expect(job.result).toBe('succeeded');
    expect(hosts).not.toContain(job.runnerName);
  }
  expect(fleet!.fleet.codeHost.registry.runners.filter(({ name }) => hosts.includes(name))).toEqual([]);
}

describe('hosts whose registration goes', () => {
  it('idle mode: hosts whose runner is removed while idle or busy, or replaced by another machine, are replaced', async () => {
    fleet = await LinuxFleet.deploy(
      { asgMinSize: 3, asgMaxSize: 6, idleRunnersTargetCount: 1 },
      { runner: 'original' },
    );
    await fleet.untilSeconds('all runners are online', () => fleet!.online.length >= 3, 400);
    const job = fleet.job(600);
    const busy = await busyHost(job);
    const [idle, taken] = fleet.online.filter((name) => name !== busy);
    removed(idle!);
    removed(busy);
    const { registry } = fleet.fleet.codeHost;
    const { token } = registry.mintToken('registration');
    // Another machine: `config.sh --replace` with the name of this one.
    registry.register({ token, name: taken!, labels: ['another'], replace: true, version: '2.336.0' });
    await fleet.untilSeconds('the job is over', () => job.endedAt !== undefined, 300);
    expect(job.result).not.toBe('succeeded');
    // GitHub says so at the end of a poll: the job is cancelled, and its hook runs all the same.
    const journal = 'journalctl --unit=actions-runner --output=cat';
    const ends = `${journal} | grep --quiet 'completed with result: Canceled' && ${journal} | grep --quiet job-completed`;
    await fleet.untilRuns('the job ends on its machine', busy, ends, 120);
    // Two sweeps see it, a quarter of an hour apart.
    await replaced([idle!, busy, taken!], 2_100);
  });

  it('jobs mode: hosts whose runner is removed before the listener starts, while idle or busy, are replaced', async () => {
    let tooEarly: string | undefined;
    /** The first session that a machine asks for comes too late. */
    const first = (id: string, http: HttpHandler): HttpHandler => {
      return async (request) => {
        if (tooEarly === undefined && request.method === 'POST' && request.path.endsWith('/broker/session')) {
          tooEarly = id;
          removed(id);
        }
        return await http(request);
      };
    };
    fleet = await LinuxFleet.deploy(
      { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 6, idleRunnersTargetCount: 2 },
      { runner: 'original', intercept: first },
    );
    await fleet.untilSeconds('two runners are online', () => fleet!.online.length >= 2, 600);
    expect(tooEarly).toBeDefined();
    expect(fleet.online).not.toContain(tooEarly);
    const job = fleet.job(600);
    const busy = await busyHost(job);
    const idle = fleet.online.find((name) => name !== busy)!;
    removed(idle);
    removed(busy);
    await fleet.untilSeconds('the job is over', () => job.endedAt !== undefined, 300);
    expect(job.result).not.toBe('succeeded');
    await replaced([tooEarly!, idle, busy], 600);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';
import { listenerProgram, listenerRuns, workerProgram, workerRuns } from '../linux/runner-programs.ts';

let fleet: LinuxFleet;
let id: string;

beforeAll(async () => {
  // One host: no other takes what is meant for it.
  fleet = await LinuxFleet.deploy({ asgMaxSize: 1 }, { runner: 'original' });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

const count = async (program: string) => Number(await fleet.run(id, `pgrep --count ${program} || true`));
const said = (unit: string) => fleet.run(id, `journalctl --unit=${unit} --output=cat --lines=40`);

async function serves(): Promise<void> {
  const job = fleet.job(1);
  await fleet.untilJob(job, 'completed', 300);
  expect(job).toMatchObject({ result: 'succeeded', runnerName: id });
}

/** One host, whose life the tests follow in this order. */
describe("GitHub's own runner on a real machine", () => {
  it('a listener that is killed leaves its Worker, which completes the job, and no second listener starts beside it', async () => {
    const job = fleet.job(45);
    await fleet.untilJob(job, 'running', 60);
    await fleet.untilRuns('a Worker runs', id, workerRuns, 30);
    await fleet.run(id, `pkill --signal KILL ${listenerProgram}`);
    await fleet.run(id, 'sleep 20');
    expect([await count(listenerProgram), await count(workerProgram)]).toEqual([0, 1]);
    await fleet.untilJob(job, 'completed', 120);
    expect(job).toMatchObject({ result: 'succeeded', runnerName: id });
    await fleet.untilRuns('a listener runs again', id, listenerRuns, 180);
    // GitHub still holds the session of the killed one: a conflict until that is noticed.
    await serves();
  });

  it('a job whose unit an operator stops is cancelled, its step is ended, and the unit ends within five minutes', async () => {
    const job = fleet.job(600);
    await fleet.untilJob(job, 'running', 60);
    await fleet.untilRuns('a Worker runs', id, workerRuns, 30);
    await fleet.run(id, 'time=$(date +%s); systemctl stop actions-runner; test $(($(date +%s) - time)) -lt 300');
    expect(await count(workerProgram)).toBe(0);
    await fleet.untilJob(job, 'lost', 30);
    expect(await said('actions-runner')).toMatch(/completed with result: Canceled/);
    await fleet.untilRuns('the agent has started it again', id, listenerRuns, 300);
    await serves();
  });

  it('a job that leaves processes behind, prints a lot, and kills what it can, ends, and the host serves the next one', async () => {
    const script = `(setsid sleep 3600 &) ; (RUNNER_TRACKING_ID= setsid env -u RUNNER_TRACKING_ID sleep 3601 &)
      pkill --signal KILL --full runner-agent || true
      head --bytes=100M /dev/zero | tr '\\0' x | fold --width=200
      rm -rf /opt/actions-runner/_work/example/example/* || true`;
    const job = fleet.job(1, script);
    await fleet.untilJob(job, 'completed', 180);
    expect(await fleet.run(id, 'systemctl is-active runner-agent')).toBe('active');
    await fleet.untilRuns('what it left is ended', id, "! pgrep --full '[s]leep 360[01]' > /dev/null", 60);
    await serves();
  });

  it('a job that kills its own Worker is over as soon as the listener notices, and its host serves the next one', async () => {
    const job = fleet.job(1, `pkill --signal KILL ${workerProgram}; sleep 600`);
    await fleet.untilSeconds('the job is over', () => job.endedAt !== undefined, 120);
    expect(job.result).not.toBe('succeeded');
    await serves();
  });
});

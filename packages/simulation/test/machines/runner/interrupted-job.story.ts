import { whyNoDrives } from '@drover/cloud-machines/linux';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from '../linux/linux-fleet.ts';
import { listenerProgram, listenerRuns, stepRuns, workerProgram } from '../linux/runner-programs.ts';

const gibibyte = 1024 ** 3;
const withoutDrives = await whyNoDrives();
let fleet: LinuxFleet;
let id: string;
let begun: ReadonlyMap<string, number>;

beforeAll(async () => {
  const drive = withoutDrives === '' ? ({ disk: 'drive', diskBytes: 6 * gibibyte } as const) : {};
  // One host: no other takes what is meant for it.
  fleet = await LinuxFleet.deploy({ asgMaxSize: 1 }, { runner: 'original', ...drive });
  id = await fleet.oneOnline();
  begun = fleet.countBegun();
});
afterAll(async () => await fleet?.end());

const registration = () => fleet.fleet.codeHost.registry.runners.find(({ name }) => name === id)?.id;

/** A job of ten minutes whose step runs. */
async function running() {
  const job = fleet.job(600);
  await fleet.untilJob(job, 'running', 60);
  await fleet.untilRuns('its step runs', id, stepRuns, 30);
  return job;
}

async function serves(seconds = 300): Promise<void> {
  const job = fleet.job(1);
  await fleet.untilJob(job, 'completed', seconds);
  expect(job).toMatchObject({ result: 'succeeded', runnerName: id });
  expect([...begun.values()].every((times) => times === 1)).toBe(true);
}

/** One host, whose life the tests follow in this order. */
describe('a host of GitHub’s own runner whose job is interrupted', () => {
  it('SIGTERM to the Worker fails its job, the listener stays, and the host serves the next one', async () => {
    const job = await running();
    const listener = await fleet.run(id, `pgrep ${listenerProgram}`);
    await fleet.run(id, `pkill --signal TERM ${workerProgram}`);
    await fleet.untilSeconds('the job is over', () => job.endedAt !== undefined, 120);
    expect(job.result).not.toBe('succeeded');
    await serves();
    expect(await fleet.run(id, `pgrep ${listenerProgram}`)).toBe(listener);
  });

  it('SIGTERM to the listener ends its job within a minute, and the host serves the next one', async () => {
    const job = await running();
    await fleet.run(id, `pkill --signal TERM ${listenerProgram}`);
    await fleet.untilRuns('the listener ended', id, `! ${listenerRuns}`, 60);
    await fleet.untilSeconds('the job is over', () => job.endedAt !== undefined, 60);
    expect(job.result).not.toBe('succeeded');
    await fleet.untilRuns('a listener runs again', id, listenerRuns, 180);
    await serves();
  });

  it('a reboot during a job ends the job at once, and the host serves the next one under the same registration', async () => {
    const before = registration();
    const job = await running();
    const boots = fleet.machine(id).bootCount;
    await fleet.try(id, 'systemctl reboot');
    await fleet.untilSeconds('it has booted again', () => fleet.machine(id).bootCount === boots + 1, 360);
    await fleet.untilSeconds('the job is over', () => job.endedAt !== undefined, 60);
    expect(job.result).not.toBe('succeeded');
    await fleet.untilRuns('the listener runs', id, listenerRuns, 120);
    await serves();
    expect(registration()).toBe(before);
  });

  it('a power cut during a job loses the job when its lease ends, and the host serves the next one under the same registration', async () => {
    const before = registration();
    const job = await running();
    const boots = fleet.machine(id).bootCount;
    await fleet.machine(id).losePower();
    await fleet.untilSeconds('it has booted again', () => fleet.machine(id).bootCount === boots + 1, 60);
    await fleet.untilRuns('the listener runs', id, listenerRuns, 120);
    await serves(900);
    await fleet.untilJob(job, 'lost', 720);
    expect(job.lostBecause).toBe('runner-vanished');
    expect(registration()).toBe(before);
    expect(await fleet.run(id, 'systemctl --failed --no-legend --plain')).toBe('');
  });
});

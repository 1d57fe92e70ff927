import type { Job } from '@drover/cloud-github';
import { FleetStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { drover } from './operator.test-support.ts';

const minute = 60_000;

async function running(stage: FleetStage, minutes: number): Promise<Job & { readonly runnerName: string }> {
  const [job] = stage.enqueue(minutes) as [Job];
  await stage.fleet.until('the job runs', () => job.state === 'running', 15 * minute);
  // The agent has sent that it began.
  await stage.pass(1);
  return job as Job & { readonly runnerName: string };
}

/** The texts of these, each behind the one before it. */
const inOrder = (...texts: string[]) => new RegExp(texts.join('.*\\n(?:.*\\n)*?.*'));

describe('drover fleet why', () => {
  let stage: FleetStage;
  const why = async (instance: string, ...more: string[]) =>
    (await drover(stage, 'fleet', 'why', instance, ...more)).stdout;

  beforeAll(async () => {
    stage = await FleetStage.open({ asgMinSize: 2, asgMaxSize: 5 });
    await stage.untilOnline(2);
  });

  it('why shows a drain in order: boot, registration, job, termination, the end of the job, power off', async () => {
    const { runnerName } = await running(stage, 10);
    await stage.terminate(runnerName, false);
    await stage.untilGone(runnerName, 60);
    await stage.pass(3);
    const story = await why(runnerName);
    expect(story).toMatch(/^i-\w+ of runners: gone after \d+ min\. Termination took 1\d min \(a user request\)\. /);
    expect(story).toMatch(/It ran 1 job; none was lost\.\n\n2026-01-05 \(UTC\)\n/);
    expect(story).not.toContain('WARNING');
    expect(story).toMatch(
      inOrder(
        'autoscaling +launched: ',
        'registration +given a registration token',
        'agent +registered its runner with GitHub',
        'autoscaling +in service',
        'agent +started the runner service',
        'jobs +job job-1 started',
        'autoscaling +termination began: a user request',
        'deregistration +labels taken: it gets no new job',
        'jobs +job job-1 ended: Succeeded',
        'deregistration +runner removed from GitHub',
        'autoscaling +terminated: its power is off',
      ),
    );
    expect(story).toMatch(/waits: a job runs there \(\d+ times until 00:\d\d:\d\d\)/);
    expect(story).not.toMatch(/[{}]|RequestId/);
  });

  it('why says until when the job of a terminating instance may run, and as JSON its sentences, or every moment as it was logged', async () => {
    const { runnerName } = await running(stage, 60);
    await stage.terminate(runnerName, false);
    await stage.pass(5);
    expect(await why(runnerName)).toMatch(
      /: Terminating:Wait, .*Job job-2 \(workflow ci of example-org\/example, run 2\) has been running for \d+ min, and is lost if it runs for \d+ (min|s) more \(allowed_drain_time\)\./,
    );
    const { summary, warnings, sentences } = JSON.parse(await why(runnerName, '--format', 'json')) as {
      readonly summary: string;
      readonly warnings: readonly string[];
      readonly sentences: readonly Record<string, unknown>[];
    };
    expect(summary).toMatch(/Terminating:Wait/);
    expect(warnings).toEqual([]);
    expect(sentences).toContainEqual({
      at: expect.stringMatching(/^2026-.*Z$/),
      source: 'jobs',
      what: expect.stringMatching(/^job job-2 started/),
      bad: false,
    });
    const moments = JSON.parse(await why(runnerName, '--lines', '--format', 'json')) as Record<string, unknown>[];
    expect(moments.map((moment) => Object.keys(moment))).toEqual(moments.map(() => ['at', 'source', 'what']));
    expect(moments.some(({ source, what }) => source === 'jobs' && /"event":"job-started"/.test(String(what)))).toBe(
      true,
    );
    await stage.untilGone(runnerName, 60);
    await stage.pass(3);
  });

  it('why names a job that was lost in a warning, with the reason: the allowed drain time was over', async () => {
    const { runnerName } = await running(stage, 60);
    await stage.terminate(runnerName, false);
    await stage.untilGone(runnerName, 60);
    await stage.pass(3);
    const story = await why(runnerName);
    expect(story).toMatch(
      /^i-\w+ of runners: gone .*It ran 1 job; 1 lost\.\nWARNING {2}job job-3 \(workflow ci of example-org\/example, run 3\) was lost after 1\d min: it still ran when allowed_drain_time \(15 min\) was over\.\n/,
    );
    expect(story).toMatch(/deregistration +WARNING completes the termination: allowed_drain_time is over\n/);
    expect(story).toMatch(/jobs +WARNING job job-3 .* was lost: /);
  });

  it('why names the job that an instance took with it when it failed', async () => {
    const { runnerName } = await running(stage, 60);
    stage.fleet.world.machines.crash(runnerName);
    await stage.pass(30);
    expect(await why(runnerName)).toMatch(
      /\nWARNING {2}job job-4 \(.*\) was lost after \d+ (s|min): its instance failed \(an EC2 instance status checks failure\)\.\n/,
    );
  });

  it('why says that a job was lost also when the instance died before it could say which', async () => {
    const [job] = stage.enqueue(60) as [Job];
    await stage.fleet.until('the job runs', () => job.state === 'running', 15 * minute);
    stage.fleet.world.machines.kill(job.runnerName!);
    await stage.pass(30);
    const story = await why(job.runnerName!);
    expect(story).toMatch(/It had a job\.\nWARNING {2}a job was lost: its instance failed \(an EC2 health check/);
    expect(story).toContain(`look at GitHub for the job of the runner ${job.runnerName}.`);
  });

  it('why says of an instance whose boot failed what its host reported', async () => {
    const known = new Set(stage.group.members.keys());
    stage.fault({ service: 'machine', operation: 'configure', effect: { kind: 'boot-failure' } });
    await stage.setDesired(4);
    const fresh = () => [...stage.group.members.keys()].find((id) => !known.has(id));
    await stage.fleet.until('another instance is launched', () => fresh() !== undefined, 10 * minute);
    const instance = fresh()!;
    await stage.untilGone(instance, 60);
    await stage.pass(2);
    expect(await why(instance)).toMatch(
      /It ran no job\.\nWARNING {2}it never came into service: .*SHA-256 is another\n/,
    );
  });
});

describe('drover fleet why, of a fleet in jobs mode', () => {
  it('why shows the one job of an instance, and that it was terminated because that job is done', async () => {
    const inputs = { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 2, idleRunnersTargetCount: 0 } as const;
    const stage = await FleetStage.open(inputs);
    await stage.pass(2);
    const { runnerName } = await running(stage, 10);
    await stage.untilGone(runnerName, 60);
    await stage.pass(3);
    const { stdout } = await drover(stage, 'fleet', 'why', runnerName);
    expect(stdout).toMatch(
      inOrder(
        'It ran 1 job; none was lost\\.',
        'jobs +job job-1 started',
        'jobs +job job-1 ended: Succeeded',
        'agent +takes no further job: its one job is done',
        'demand +asked for its termination: its one job is done',
        'autoscaling +termination began: ',
        'autoscaling +terminated',
      ),
    );
  });
});

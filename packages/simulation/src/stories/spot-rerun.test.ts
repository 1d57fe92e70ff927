import type { Job } from '@drover/cloud-github';
import { operatorIo } from '@drover/local/truth/real-doctor';
import { fleetJobs } from '@drover/operator/fleet/jobs';
import { fleetWhy } from '@drover/operator/fleet/why/why';
import type { DroverIo } from '@drover/operator/io';
import { fleetStackName } from '@drover/stage/fleet-template';
import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';
import { startRun } from './one-run.ts';

const minute = 60_000;
const inputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 6,
  idleRunnersTargetCount: 0,
  instanceTypes: ['m7a.large', 'm6a.large'],
  onDemandBaseCapacity: 0,
  onDemandFallback: true,
  rerunInterruptedJobs: true,
} as const;

const openStage = (more: object = {}) =>
  CheckedFleetStage.open(
    { ...inputs, ...more },
    {
      before: ({ world }) => {
        world.machines.timing.keepGoneMs = Number.POSITIVE_INFINITY;
      },
    },
  );

const groupOf = (stage: CheckedFleetStage, { runnerName = '' }: Job) =>
  stage.fleet.world.machines.get(runnerName)?.instance.tags['aws:autoscaling:groupName'];

const asked = { stack: fleetStackName, format: 'json' } as const;

async function ask({ fleet }: CheckedFleetStage, command: (io: DroverIo) => Promise<number>): Promise<string> {
  let text = '';
  const io = operatorIo(fleet, (more) => {
    text += more;
  });
  await fleet.drive(command(io), 30 * minute);
  return text;
}

/** Name, attempt and end of each job of a run, in the order in which they were queued. */
const told = ({ jobs }: ReturnType<typeof startRun>) =>
  jobs.map(({ definition, attempt, job }) => [definition.name, attempt, job.state]);

describe('interrupted jobs that are run again', () => {
  it('a job that was taken back at its third minute runs twice, on demand, and the others of its run once', async () => {
    const stage = await openStage();
    const { world, codeHost } = stage.fleet;
    await stage.pass(2);
    const run = startRun(codeHost, { build: 12, lint: 2, test: 8 });
    const taken = run.jobs[0]!.job;
    await stage.fleet.until('it runs', () => taken.state === 'running', 20 * minute);
    await stage.pass(3);
    world.operate.reclaimSpot(taken.runnerName!);
    await stage.fleet.until('it is run again', () => run.attempt === 2, 30 * minute);
    const again = run.jobs.at(-1)!.job;
    await stage.fleet.until('it is over', () => again.endedAt !== undefined, 60 * minute);

    expect(told(run)).toEqual([
      ['build', 1, 'lost'],
      ['lint', 1, 'completed'],
      ['test', 1, 'completed'],
      ['build', 2, 'completed'],
    ]);
    expect([groupOf(stage, taken), groupOf(stage, again)]).toEqual(['runners', 'runners-od']);
    expect(await stage.violationsAtRest()).toEqual([]);
    expect(told(run)).toHaveLength(4);
    const results = JSON.parse(await ask(stage, (io) => fleetJobs(io, { ...asked, since: () => 0 })));
    expect(results.map(({ result }: { result: string }) => result).sort()).toEqual([
      'Succeeded',
      'Succeeded',
      'Succeeded',
      'run again',
    ]);
    const why = await ask(stage, (io) => fleetWhy(io, taken.runnerName!, { ...asked, lines: false }));
    expect(why).toMatch(/GitHub was asked to run its job build again.*its interrupted job build: it is run again/s);
  });
});

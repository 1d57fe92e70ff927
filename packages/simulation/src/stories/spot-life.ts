import type { Job } from '@drover/cloud-github';
import type { DeployedFleet } from '@drover/stage/fleet';
import { CheckedFleetStage } from './checked-fleet-stage.ts';
import { startRun } from './one-run.ts';

const minute = 60_000;

export const spotLifeInputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 3,
  idleRunnersTargetCount: 0,
  warmPoolMaxSize: 0,
  instanceTypes: ['m7a.large', 'm6a.large'],
  onDemandBaseCapacity: 0,
  onDemandFallback: true,
  rerunInterruptedJobs: true,
} as const;

/** The life of a fleet whose spot capacity ends in the middle of a burst, comes back, and of which two hosts are taken back: the jobs of both run once more. */
export async function playSpotLife(
  before: (fleet: DeployedFleet) => void = () => {},
  assembly?: string,
): Promise<CheckedFleetStage> {
  const stage = await CheckedFleetStage.open(spotLifeInputs, { assembly, before });
  const { world, codeHost } = stage.fleet;
  await stage.pass(2);
  const running = stage.enqueue(12);
  await stage.fleet.until('it runs', () => codeHost.registry.queue.jobs.some(isRunning), 60 * minute);
  const lift = stage.fault({
    service: 'autoscaling',
    operation: 'Launch',
    // The subject of a launch begins with the group's name: that of the fallback goes on.
    subject: 'runners ',
    effect: { kind: 'error' },
  });
  await done(stage, [...running, ...stage.enqueue(4, 4)]);
  lift();
  await stage.pass(12);
  const run = startRun(codeHost, { build: 8, test: 8 });
  const taken = run.jobs.map(({ job }) => job);
  await stage.fleet.until('both run', () => taken.every((job) => isRunning(job) || hasEnded(job)), 60 * minute);
  for (const { runnerName = '' } of taken)
    if (stage.stateOf(runnerName) === 'InService') world.operate.reclaimSpot(runnerName);
  await stage.pass(1);
  await done(stage, [...taken, ...stage.enqueue(3)]);
  const lost = taken.filter(({ state }) => state === 'lost').length;
  const tried = () => run.jobs.length === taken.length + lost && run.jobs.every(({ job }) => hasEnded(job));
  await stage.fleet.until('what was lost has been run again', tried, 180 * minute);
  await stage.pass(5);
  if (!tried()) throw new Error(`run again more than once: ${run.jobs.length} jobs of a run with ${taken.length}`);
  return stage;
}

const isRunning = ({ state }: Job) => state === 'running';
const hasEnded = ({ endedAt }: Job) => endedAt !== undefined;

const done = (stage: CheckedFleetStage, jobs: readonly Job[]) =>
  stage.fleet.until('the jobs are over', () => jobs.every(hasEnded), 90 * minute);

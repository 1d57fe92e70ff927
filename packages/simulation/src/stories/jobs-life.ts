import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;

export const jobsLifeInputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 5,
  idleRunnersTargetCount: 1,
  warmPoolMinSize: 1,
  warmPoolMaxSize: 4,
  allowedDrainTime: 7200,
} as const;

/**
 * Everything that can happen to a fleet in jobs mode, so that every program makes every call it ever makes: instances that leave the
 * warm pool for a job, a busy host that must go, one that dies, one too many, a scale set that is gone, a secret that is left.
 */
export async function playJobsLife(
  before: (fleet: DeployedFleet) => void = () => {},
  assembly?: string,
): Promise<CheckedFleetStage> {
  const stage = await CheckedFleetStage.open(jobsLifeInputs, { assembly, before });
  const parked = () => [...stage.group.members.values()].some(({ state }) => state === 'Warmed:Hibernated');
  await stage.untilOnline(1, 60);
  await stage.fleet.until('an instance is hibernated', parked, 60 * minute);
  await done(stage, stage.enqueue(4, 3));
  await drainLongJob(stage);
  await loseHost(stage);
  const Name = tokenSecretName('runners', 'i-0123456789abcdef0');
  const left = stage.aws.secretsmanager.send(new CreateSecretCommand({ Name, SecretString: 'stale' }));
  await stage.fleet.drive(left, minute);
  await stage.setDesired(Math.min(5, stage.group.desiredCapacity + 2));
  await stage.pass(25);
  const { scaleSets } = stage.fleet.codeHost;
  const set = scaleSets.named('runners');
  if (set !== undefined) scaleSets.forget(set);
  await done(stage, stage.enqueue(4));
  await stage.pass(75);
  return stage;
}

type Jobs = ReturnType<CheckedFleetStage['enqueue']>;

const done = (stage: CheckedFleetStage, jobs: Jobs) =>
  stage.fleet.until('the jobs are over', () => jobs.every(({ endedAt }) => endedAt !== undefined), 90 * minute);

async function drainLongJob(stage: CheckedFleetStage): Promise<void> {
  const [job] = stage.enqueue(40);
  await stage.fleet.until('the job runs', () => job!.state === 'running', 60 * minute);
  await stage.pass(2);
  await stage.terminate(job!.runnerName!, false);
  await stage.untilGone(job!.runnerName!, 90);
}

/** A host that dies finishes nothing by itself. */
async function loseHost(stage: CheckedFleetStage): Promise<void> {
  await stage.untilOnline(1, 60);
  const [lost] = stage.online;
  stage.fleet.world.machines.kill(lost!);
  await stage.untilGone(lost!, 90);
}

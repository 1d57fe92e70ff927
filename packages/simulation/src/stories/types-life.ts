import { DeleteAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { Job } from '@drover/cloud-github';
import { tags, tokenSecretName, typeGroupName } from '@drover/core/names/runner-fleet';
import { operatorIo } from '@drover/local/truth/real-doctor';
import { removeType } from '@drover/operator/fleet/destroy';
import type { DroverIo } from '@drover/operator/io';
import type { DeployedFleet } from '@drover/stage/fleet';
import { fleetStackName } from '@drover/stage/fleet-template';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

export const typesLifeInputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 2,
  idleRunnersTargetCount: 0,
  warmPoolMaxSize: 0,
  types: { small: {}, large: { asgMaxSize: 3 } },
} as const;

/**
 * The life of a fleet with two further types, on which all jobs run: a burst for both, a busy host that must go, a secret that is left, a type
 * that is removed with its command, and one whose group goes by itself.
 */
export async function playTypesLife(
  before: (fleet: DeployedFleet) => void = () => {},
  assembly?: string,
): Promise<CheckedFleetStage> {
  const stage = await CheckedFleetStage.open(typesLifeInputs, { assembly, before });
  await stage.pass(2);
  await done(stage, [enqueue(stage, 'small', 3), enqueue(stage, 'large', 3), enqueue(stage, 'large', 4)]);
  const long = enqueue(stage, 'small', 12);
  await stage.fleet.until('the job runs', () => long.state === 'running', 60 * minute);
  await stage.terminate(long.runnerName!, false);
  const Name = tokenSecretName(typeGroupName('runners', 'small'), 'i-0123456789abcdef0');
  const Tags = [{ Key: tags.fleet, Value: 'runners' }];
  const left = stage.aws.secretsmanager.send(new CreateSecretCommand({ Name, SecretString: 'stale', Tags }));
  await stage.fleet.drive(left, minute);
  await done(stage, [long]);
  // Two sweeps.
  await stage.pass(40);
  await done(stage, [enqueue(stage, 'large', 3)]);
  await dieAtEachCall(stage, 'large');
  await deleteGroup(stage, 'large');
  await deleteGroup(stage, 'small');
  await stage.pass(15);
  return stage;
}

function enqueue(stage: CheckedFleetStage, type: string, minutes: number): Job {
  const runsOn = [typeGroupName('runners', type)];
  return stage.fleet.codeHost.registry.queue.enqueue({ durationMs: minutes * minute, runsOn });
}

const done = (stage: CheckedFleetStage, jobs: readonly Job[]) =>
  stage.fleet.until('the jobs are over', () => jobs.every(({ endedAt }) => endedAt !== undefined), 90 * minute);

/** Whichever call `remove-type` dies at, just before or just after it in turn, the next run goes on: until one comes through. */
async function dieAtEachCall(stage: CheckedFleetStage, type: string): Promise<void> {
  const { fleet } = stage;
  for (let call = 1; ; call++) {
    const plan = { left: call, phase: call % 2 === 0 ? 'before' : 'after' } as const;
    const io = mortal(
      operatorIo(fleet, () => {}),
      plan,
    );
    const run = removeType(io, type, { stack: fleetStackName, yes: true }).catch((error: unknown) => {
      if (error instanceof Died) return 'died' as const;
      throw error;
    });
    const outcome = await fleet.drive(run, day);
    if (outcome === 0) return;
  }
}

class Died extends Error {}

/** Every request of the command counts; it dies at the one that the plan says. */
function mortal(io: DroverIo, plan: { left: number; readonly phase: 'before' | 'after' }): DroverIo {
  const die = async <T>(act: () => Promise<T>): Promise<T> => {
    plan.left -= 1;
    if (plan.left === 0 && plan.phase === 'before') throw new Died();
    const result = await act();
    if (plan.left === 0) throw new Died();
    return result;
  };
  const dying = <Client extends object>(client: Client): Client =>
    new Proxy(client, {
      get: (target, key) =>
        key === 'send'
          ? (command: never) => die(() => (target as { send(command: never): Promise<unknown> }).send(command))
          : Reflect.get(target, key),
    });
  return {
    ...io,
    fetch: (...asked: Parameters<typeof fetch>) => die(() => io.fetch(...asked)),
    aws: async () => {
      const clients = Object.entries(await io.aws()).map(([name, client]) => [name, dying(client)]);
      return Object.fromEntries(clients) as Awaited<ReturnType<DroverIo['aws']>>;
    },
  };
}

/** As CloudFormation does it when the key has left the file. */
async function deleteGroup({ aws, fleet }: CheckedFleetStage, type: string): Promise<void> {
  const AutoScalingGroupName = typeGroupName('runners', type);
  const isEmpty = () => fleet.world.observe.group(AutoScalingGroupName)!.members.size === 0;
  await fleet.until(`${AutoScalingGroupName} is empty`, isEmpty, 90 * minute);
  await fleet.drive(aws.autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName })), minute);
}

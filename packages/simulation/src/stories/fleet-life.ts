import {
  DescribeAutoScalingGroupsCommand,
  SetInstanceProtectionCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;

export const fleetLifeInputs = {
  asgMinSize: 2,
  asgMaxSize: 6,
  warmPoolMinSize: 1,
  warmPoolMaxSize: 6,
  allowedDrainTime: 7200,
  tags: { team: 'build' },
};

/**
 * Everything that can happen to a fleet, so that every program makes every call it ever makes: launches, a warm pool that
 * hibernates and wakes, a long drain, a host that dies, an outage of GitHub, doubled events, a new
 * release of the runner software, and one of each thing that a sweep mends.
 */
export async function playFleetLife(
  before: (fleet: DeployedFleet) => void = () => {},
  assembly?: string,
): Promise<CheckedFleetStage> {
  const stage = await CheckedFleetStage.open(fleetLifeInputs, {
    assembly,
    before(fleet) {
      // Two passes for one launch: the first is slow and finds the secret that the second has made meanwhile.
      const { faults } = fleet.world.engine;
      faults.add({ service: 'events', times: 4, effect: { kind: 'duplicate', afterMs: 0 } });
      faults.add({ service: 'secretsmanager', operation: 'CreateSecret', nth: 2, effect: { kind: 'slow', ms: 5_000 } });
      before(fleet);
    },
  });
  await stage.untilOnline(2);
  await untilParked(stage);
  stage.fleet.codeHost.registry.releases.publish('2.337.0');
  await drainLongJob(stage);
  await loseHost(stage);
  await leaveTokenBehind(stage);
  await wakeDuringOutage(stage);
  await breakWhatSweepsMend(stage);
  await stage.pass(75);
  return stage;
}

const parked = (stage: CheckedFleetStage) =>
  [...stage.group.members.values()].filter(({ state }) => state === 'Warmed:Hibernated');

const untilParked = (stage: CheckedFleetStage) =>
  stage.fleet.until('an instance is hibernated', () => parked(stage).length > 0, 60 * minute);

async function drainLongJob(stage: CheckedFleetStage): Promise<void> {
  const [job] = stage.enqueue(45);
  await stage.fleet.until('the job runs', () => job!.state === 'running', 5 * minute);
  await stage.pass(2);
  await stage.terminate(job!.runnerName!, false);
  await stage.untilGone(job!.runnerName!, 90);
}

/** A host that dies finishes nothing by itself. */
async function loseHost(stage: CheckedFleetStage): Promise<void> {
  await stage.untilOnline(2);
  const [lost] = stage.online;
  stage.fleet.world.machines.kill(lost!);
  await stage.untilGone(lost!, 60);
}

/** A sweep deletes it when it is an hour old. */
async function leaveTokenBehind({ fleet, aws }: CheckedFleetStage): Promise<void> {
  const Name = tokenSecretName('runners', 'i-0123456789abcdef0');
  await fleet.drive(aws.secretsmanager.send(new CreateSecretCommand({ Name, SecretString: 'stale' })), minute);
}

async function wakeDuringOutage(stage: CheckedFleetStage): Promise<void> {
  const untilMs = stage.fleet.clock.now() + 20 * minute;
  stage.fault({ service: 'platform', effect: { kind: 'error', status: 503 }, untilMs });
  await stage.setDesired(4);
  await stage.pass(25);
  // As many as are wanted: when a fault has slowed the wake, the surplus may have been taken back meanwhile.
  const allOnline = () => stage.online.length >= stage.group.desiredCapacity;
  await stage.fleet.until('all wanted runners are online', allOnline, 60 * minute);
}

async function breakWhatSweepsMend(stage: CheckedFleetStage): Promise<void> {
  const { fleet, aws } = stage;
  const { registry } = fleet.codeHost;
  const [forgotten, held] = stage.online.filter((id) => stage.stateOf(id) === 'InService');
  registry.remove(registry.runners.find(({ name }) => name === forgotten)!.id);
  const order = (work: Promise<unknown>) => fleet.drive(work, minute);
  await order(
    aws.autoscaling.send(
      new SetInstanceProtectionCommand({
        AutoScalingGroupName: 'runners',
        InstanceIds: [held!],
        ProtectedFromScaleIn: true,
      }),
    ),
  );
  await order(newTemplateVersion(stage));
}

/** Acts as an update of the stack would: members of the warm pool are outdated from now on. */
async function newTemplateVersion({ aws, fleet }: CheckedFleetStage): Promise<void> {
  const { AutoScalingGroups } = await aws.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
  const LaunchTemplateId = AutoScalingGroups?.[0]?.LaunchTemplate?.LaunchTemplateId ?? '';
  const version = { LaunchTemplateId, SourceVersion: '1', LaunchTemplateData: { EbsOptimized: true } };
  const operator = { credentials: fleet.world.rootCredentials };
  await fleet.world.aws.call('ec2', 'CreateLaunchTemplateVersion', version, operator);
  const LaunchTemplate = { LaunchTemplateId, Version: '2' };
  await aws.autoscaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'runners', LaunchTemplate }));
}

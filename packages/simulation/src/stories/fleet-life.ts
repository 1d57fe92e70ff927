import {
  DescribeAutoScalingGroupsCommand,
  SetInstanceProtectionCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { DescribeStackResourcesCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { World } from '@drover/cloud-world';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';
import { fleetStackName } from '@drover/stage/fleet-template';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;

/** What the roles of a fleet asked IAM for, and what it refused. */
export interface Asked {
  /** Actions by role ARN. */
  readonly allowed: Map<string, Set<string>>;
  readonly refused: string[];
}

/** Collects what IAM decides: a journal entry names the call, but one call may need several actions. */
function collect({ observe }: World): Asked {
  const asked: Asked = { allowed: new Map(), refused: [] };
  observe.onAuthorization(({ roleArn, action, refusal }) => {
    if (refusal !== undefined) return void asked.refused.push(refusal);
    if (roleArn === undefined) return;
    const actions = asked.allowed.get(roleArn) ?? new Set();
    asked.allowed.set(roleArn, actions.add(action));
  });
  return asked;
}

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
 * hibernates and wakes, a long drain, a host that dies, an outage of GitHub, doubled events, and one of each thing that a sweep mends.
 */
export async function playFleetLife(
  before: (fleet: DeployedFleet) => void = () => {},
  assembly?: string,
): Promise<{ readonly stage: CheckedFleetStage; readonly asked: Asked }> {
  let asked: Asked | undefined;
  const stage = await CheckedFleetStage.open(fleetLifeInputs, {
    assembly,
    before(fleet) {
      asked = collect(fleet.world);
      // Two passes for one launch: the first is slow and finds the secret that the second has made meanwhile.
      const { faults } = fleet.world.engine;
      faults.add({ service: 'events', times: 4, effect: { kind: 'duplicate', afterMs: 0 } });
      faults.add({ service: 'secretsmanager', operation: 'CreateSecret', nth: 2, effect: { kind: 'slow', ms: 5_000 } });
      before(fleet);
    },
  });
  await stage.untilOnline(2);
  await untilParked(stage);
  await drainLongJob(stage);
  await loseHost(stage);
  await wakeDuringOutage(stage);
  await breakWhatSweepsMend(stage);
  await stage.pass(75);
  return { stage, asked: asked! };
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
  const gone = tokenSecretName('runners', 'i-0123456789abcdef0');
  await order(aws.secretsmanager.send(new CreateSecretCommand({ Name: gone, SecretString: 'stale' })));
  await order(newTemplateVersion(stage));
}

/** What an update of the stack would do: members of the warm pool are outdated from now on. */
async function newTemplateVersion({ aws, fleet }: CheckedFleetStage): Promise<void> {
  const { AutoScalingGroups } = await aws.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
  const LaunchTemplateId = AutoScalingGroups?.[0]?.LaunchTemplate?.LaunchTemplateId ?? '';
  const version = { LaunchTemplateId, SourceVersion: '1', LaunchTemplateData: { EbsOptimized: true } };
  const operator = { credentials: fleet.world.rootCredentials };
  await fleet.world.aws.call('ec2', 'CreateLaunchTemplateVersion', version, operator);
  const LaunchTemplate = { LaunchTemplateId, Version: '2' };
  await aws.autoscaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'runners', LaunchTemplate }));
}

/** The parts of a template that speak of rights. */
export interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }>
  >;
}

/** A deployed role: what it asked for is found by its ARN, what it was granted by its logical id. */
export interface DeployedRole {
  readonly logicalId: string;
  readonly arn: string;
}

/** The fleet's roles, and the template that made them. */
export async function deployedRoles({
  fleet,
  aws,
}: CheckedFleetStage): Promise<{ roles: DeployedRole[]; template: Template }> {
  const StackName = fleetStackName;
  const order = <T>(work: Promise<T>) => fleet.drive(work, minute);
  const { StackResources = [] } = await order(
    aws.cloudformation.send(new DescribeStackResourcesCommand({ StackName })),
  );
  const { TemplateBody = '' } = await order(aws.cloudformation.send(new GetTemplateCommand({ StackName })));
  const roles = StackResources.filter(({ ResourceType }) => ResourceType === 'AWS::IAM::Role').map((resource) => ({
    logicalId: resource.LogicalResourceId!,
    arn: `arn:aws:iam::${fleet.world.aws.accountId}:role/${resource.PhysicalResourceId}`,
  }));
  return {
    roles: roles.filter(({ logicalId }) => logicalId.startsWith('RunnerFleet')),
    template: JSON.parse(TemplateBody),
  };
}

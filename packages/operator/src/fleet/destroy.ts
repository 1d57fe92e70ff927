import { DeleteWarmPoolCommand, UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { endBakes } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { defaultType } from '@drover/core/names/runner-fleet';
import { deleteStack, nextLook, planText } from '../delete-stack.ts';
import type { DroverIo, OperatorClients } from '../io.ts';
import { type FleetMember, isBusy, readMembers } from './members.ts';
import { type OpenFleet, type OpenGroup, openFleet } from './open-fleet.ts';

/**
 * `drover fleet destroy`: takes a fleet down without losing a job. Without `--yes` it only prints what it would do. Every step
 * can be done again, so an interrupted run is continued by the same command.
 */
export async function fleetDestroy(io: DroverIo, options: { stack: string; yes: boolean }): Promise<number> {
  const begun = await deletionOf(await io.aws(), options.stack);
  if (begun !== undefined) return await continueDeletion(io, options, begun);
  const fleet = await openFleet(io, options);
  const members = await readMembers(fleet);
  const scaleSet = await hasScaleSet(fleet);
  if (!options.yes) {
    io.stdout(plan(fleet, members, scaleSet));
    return 0;
  }
  const say = (text: string) => io.stdout(`${text}\n`);
  const { groupName, aws } = fleet;
  if (members.some(isWarm)) {
    await aws.autoscaling.send(new DeleteWarmPoolCommand({ AutoScalingGroupName: groupName, ForceDelete: true }));
    say('the warm pool is being deleted');
  }
  const { groups } = fleet;
  for (const group of groups) await takeCapacity(group, say);
  const left: string[] = [];
  for (const group of groups) {
    const ofType = groups.length === 1 ? say : (text: string) => say(`${group.groupName}: ${text}`);
    await untilDrained(io, group, ofType);
    const leftBehind = scaleSet ? await untilScaleSetGone(io, group, ofType) : undefined;
    if (leftBehind !== undefined) left.push(leftBehind);
    if (group !== fleet) await deleteTokens(group, []);
    await untilBakesEnded(io, group, say);
  }
  if (!fleet.ports.jobsMode) await removeRunners(fleet, say);
  await deleteTokens(fleet, members);
  await deleteFleetStack(io, options.stack, say);
  say(remains(fleet));
  for (const leftBehind of left) say(leftBehind);
  return left.length === 0 ? 0 : 1;
}

/**
 * `drover fleet remove-type`: takes one type down without losing a job, before its key leaves the configuration. Without `--yes` it only prints
 * what it would do.
 */
export async function removeType(
  io: DroverIo,
  type: string,
  options: { stack: string; yes: boolean },
): Promise<number> {
  if (type === defaultType)
    throw new TerminalError('the default type is the fleet itself', {
      remedy: 'to take it down: drover fleet destroy',
    });
  const group = await openFleet(io, { ...options, type });
  const members = await readMembers(group);
  const say = (text: string) => io.stdout(`${text}\n`);
  const last = `Then remove the key ${type} below types, and deploy the stack ${options.stack}: what is left of the type goes with that.`;
  if (!options.yes) {
    const steps = [
      noFurtherJob(group),
      drained(members),
      'wait until its scale set is deleted at the platform, with its session and its runners',
    ];
    io.stdout(planText(steps, `${last}\n`, `fleet remove-type ${type} --stack ${options.stack}`));
    return 0;
  }
  await takeCapacity(group, say);
  await untilDrained(io, group, say);
  const leftBehind = await untilScaleSetGone(io, group, say);
  await deleteTokens(group, members);
  say(leftBehind ?? last);
  return leftBehind === undefined ? 0 : 1;
}

async function takeCapacity({ aws, groupName, ports }: OpenGroup, say: (text: string) => void): Promise<void> {
  const group = await ports.group.read();
  const none = { MinSize: 0, MaxSize: 0, DesiredCapacity: 0 };
  await aws.autoscaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: groupName, ...none }));
  say(
    `${groupName} has no capacity any more (before: minimum ${group.minSize}, maximum ${group.maxSize}, desired ${group.desiredCapacity})`,
  );
}

/** The status of a stack whose deletion has begun: its functions, by which a fleet is read, may be gone. */
async function deletionOf({ cloudformation }: OperatorClients, stack: string): Promise<string | undefined> {
  // A stack that is not there is refused with its remedy when the fleet is opened.
  const answer = await cloudformation.send(new DescribeStacksCommand({ StackName: stack })).catch(() => undefined);
  const status = answer?.Stacks?.[0]?.StackStatus;
  return status?.startsWith('DELETE_') === true ? status : undefined;
}

/** Deleting comes last: every instance was drained before it began. */
async function continueDeletion(
  io: DroverIo,
  { stack, yes }: { stack: string; yes: boolean },
  status: string,
): Promise<number> {
  const say = (text: string) => io.stdout(`${text}\n`);
  if (yes) await deleteFleetStack(io, stack, say);
  else
    say(
      `The stack ${stack} is ${status}. This would happen with --yes:\n1. delete what is left of it\nNothing was changed. To do it: drover fleet destroy --stack ${stack} --yes`,
    );
  return 0;
}

const isWarm = ({ instance }: FleetMember) => instance?.lifecycleState.startsWith('Warmed:') === true;

/** In idle mode it is one that an earlier jobs mode has left. */
const hasScaleSet = async ({ ports }: OpenFleet): Promise<boolean> =>
  ports.jobsMode || (await ports.memory.read()).jobs?.scaleSet !== undefined;

function plan(fleet: OpenFleet, members: readonly FleetMember[], scaleSet: boolean): string {
  const count = (chosen: (member: FleetMember) => boolean) => members.filter(chosen).length;
  const steps = [
    ...(members.some(isWarm) ? [`delete the warm pool with its ${count(isWarm)} instances`] : []),
    noFurtherJob(fleet),
    drained(members),
    ...(fleet.types.length === 0 ? [] : [`the same for ${fleet.types.map(({ groupName }) => groupName).join(', ')}`]),
    ...(scaleSet ? ['wait until its scale set is deleted at the platform, with its session and its runners'] : []),
    ...(fleet.ports.jobsMode ? [] : ['remove runners that are left at the platform']),
    `delete the stack ${fleet.stack}`,
  ];
  return planText(steps, `${remains(fleet)}\n`, `fleet destroy --stack ${fleet.stack}`);
}

const noFurtherJob = ({ groupName }: OpenGroup) =>
  `set the capacity of ${groupName} to 0: no further job starts here; jobs that ask for its labels wait at the platform`;

function drained(members: readonly FleetMember[]): string {
  const instances = members.filter(({ instance }) => instance !== undefined).length;
  return `wait until its ${instances} instances have drained (${members.filter(isBusy).length} with a job now: it finishes first)`;
}

/** Resources that deleting the stack leaves behind. */
const remains = ({ config, imageBakeDays }: OpenFleet) => {
  const images = imageBakeDays === undefined ? '' : 'the images that were baked, with their snapshots, ';
  return `What remains: the bucket ${config.memory.bucket} (the fleet's memory: delete it if no fleet of this name comes back), the secret with the platform's credentials, ${images}and for days its log key, which KMS deletes late. The log groups go with the stack.`;
};

async function untilDrained(io: DroverIo, fleet: OpenGroup, say: (text: string) => void): Promise<void> {
  let told = '';
  for (;;) {
    const { instances } = await fleet.ports.group.read();
    if (instances.length === 0) return say('every instance is gone');
    const members = (await readMembers(fleet)).filter(({ instance }) => instance !== undefined);
    const busy = members.filter(isBusy).length;
    const now = `${instances.length} instances are left, ${busy} with a job`;
    if (now !== told) say(now);
    told = now;
    await nextLook(io);
  }
}

/** Instances that bake an image are in no group, and hold the security group of the stack. */
async function untilBakesEnded(io: DroverIo, { calls, groupName }: OpenGroup, say: (text: string) => void) {
  let told = '';
  for (;;) {
    const ids = (await endBakes(calls, groupName)).join(', ');
    if (ids === '') return;
    if (ids !== told) say(`${ids}: terminated, for an image would be baked there`);
    told = ids;
    await nextLook(io);
  }
}

/** Time that the fleet's own function needs for it, with a window each minute. */
const scaleSetWithinMs = 10 * 60_000;

/** The function of the demand deletes the scale set of a group that may have no instance, `record_metric` one of an earlier jobs mode. Returns what is left at the platform if it cannot. */
async function untilScaleSetGone(
  io: DroverIo,
  { ports, groupName }: OpenGroup,
  say: (text: string) => void,
): Promise<string | undefined> {
  const since = io.clock.now();
  for (;;) {
    const { scaleSet } = (await ports.memory.read()).jobs ?? {};
    if (scaleSet === undefined) {
      say('the scale set, its session and its runners are gone from the platform');
      return undefined;
    }
    if (io.clock.now() - since >= scaleSetWithinMs)
      return `The scale set ${groupName} is left at the platform, whose service did not respond: delete it in the settings of the organisation, repository or enterprise under Actions, Runners.`;
    await nextLook(io);
  }
}

/** Members of a warm pool leave theirs behind, and so does a host that died. */
async function removeRunners(fleet: OpenFleet, say: (text: string) => void): Promise<void> {
  for (const { runner } of await readMembers(fleet)) {
    if (runner === undefined) continue;
    const outcome = await fleet.ports.runners.remove(runner.id);
    if (outcome === 'busy')
      throw new TerminalError(
        `the platform says that the runner ${runner.name} has a job, although its instance is gone`,
        {
          remedy: 'wait until the platform has given it up, about a quarter of an hour, and run this again',
        },
      );
    say(`the runner ${runner.name} is removed at the platform`);
  }
}

/** Hosts whose boot was cut off have left theirs. The list of secrets is minutes old, so that those of known instances go in any case. */
async function deleteTokens({ ports: { secrets } }: OpenGroup, members: readonly FleetMember[]): Promise<void> {
  const listed = (await secrets.list()).map(({ instanceId }) => instanceId);
  const known = members.flatMap(({ instance }) => instance?.id ?? []);
  for (const id of new Set([...known, ...listed])) await secrets.delete(id);
}

async function deleteFleetStack(io: DroverIo, stack: string, say: (text: string) => void): Promise<void> {
  await deleteStack(io, await io.aws(), stack, () =>
    say(`the stack ${stack} is being deleted; the network interfaces of its functions may take 40 minutes`),
  );
  say(`the stack ${stack} is deleted`);
}

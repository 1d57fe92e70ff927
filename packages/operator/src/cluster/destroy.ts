import {
  type AutoScalingGroup,
  DeleteAutoScalingGroupCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { healthReader, snapshotRepositories, snapshotStore } from '@drover/adapters/elasticsearch';
import { describeError, hourMs, TerminalError } from '@drover/core';
import { discoveryTags, snapshotRepository } from '@drover/core/names/search-cluster';
import { createSnapshot, terminatingRetained, waitForSnapshot } from '@drover/search-cluster';
import { deleteStack, nextLook, planText } from '../delete-stack.ts';
import { describeGroups } from '../groups.ts';
import type { DroverIo, OperatorClients } from '../io.ts';
import { type ClusterOptions, openCluster } from './open-cluster.ts';

export interface DestroyOptions extends ClusterOptions {
  readonly yes: boolean;
  readonly skipSnapshot: boolean;
}

/**
 * `drover cluster destroy`: a last snapshot, then the groups by force, which ends the instances without their hooks, then the stack.
 * The stack alone would wait two days for drains that have nowhere to go. A run that stopped is resumed by the next.
 */
export async function destroyCluster(io: DroverIo, options: DestroyOptions): Promise<number> {
  const aws = await io.aws();
  const made = await groupsOf(aws, options.stack);
  const found = await describeGroups(aws.autoscaling, ...made);
  // Those of the cluster have the tags by which its nodes find each other; others of the stack go with it.
  const groups = found.filter(({ Tags = [] }) => Tags.some(({ Key }) => Key === discoveryTags.cluster));
  // A run before this one has taken the snapshot and ended nodes already.
  const isResumed = found.length < made.length || groups.some(({ Status }) => Status !== undefined);
  if (!options.yes) {
    io.stdout(plan(options, groups));
    return 0;
  }
  if (!options.skipSnapshot && !isResumed && groups.length > 0) await lastSnapshot(io, options);
  for (const group of groups) await deleteGroup(io, aws, group);
  const names = groups.map(({ AutoScalingGroupName }) => AutoScalingGroupName!);
  const deadline = io.clock.now() + hourMs;
  while ((await describeGroups(aws.autoscaling, ...names)).length > 0) {
    if (io.clock.now() > deadline)
      throw new TerminalError(`timed out: not yet so that the groups ${names.join(' and ')} are gone`, {
        remedy: 'run this again: it goes on where it stopped',
      });
    await nextLook(io);
  }
  await deleteStack(io, aws, options.stack);
  io.stdout(`${options.stack}: deleted\n`);
  return 0;
}

const plan = ({ stack, skipSnapshot }: DestroyOptions, groups: readonly AutoScalingGroup[]) => {
  const named = groups.map((group) => `${group.AutoScalingGroupName} with ${group.Instances?.length ?? 0} instances`);
  const steps = [
    ...(skipSnapshot || groups.length === 0 ? [] : [`take a last snapshot into ${snapshotRepository}`]),
    ...named.map((name) => `delete the group ${name}, without draining them`),
    `delete the stack ${stack}; what it retains (buckets, secrets of the certificate authority) stays`,
  ];
  return planText(steps, '', `cluster destroy --stack ${stack}`);
};

/** From the resources and not from the outputs: a stack whose creation failed has none. */
async function groupsOf({ cloudformation }: OperatorClients, StackName: string): Promise<readonly string[]> {
  const { StackResources = [] } = await cloudformation.send(new DescribeStackResourcesCommand({ StackName }));
  return StackResources.filter(({ ResourceType }) => ResourceType === 'AWS::AutoScaling::AutoScalingGroup').flatMap(
    ({ PhysicalResourceId }) => PhysicalResourceId ?? [],
  );
}

async function lastSnapshot(io: DroverIo, options: DestroyOptions): Promise<void> {
  const { client } = await openCluster(io, options);
  const { clock, random, signal } = io;
  const run = {
    clock,
    random,
    signal,
    health: healthReader(client),
    repositories: snapshotRepositories(client),
    snapshots: snapshotStore(client),
    place: undefined,
    onWait: () => {},
  };
  try {
    const name = await createSnapshot(run, snapshotRepository);
    await waitForSnapshot(run, snapshotRepository, name);
    io.stdout(`snapshot ${name} succeeded\n`);
  } catch (error) {
    throw new TerminalError(`no last snapshot could be taken: ${describeError(error)}`, {
      remedy: 'mend that, or give the data up with --skip-snapshot',
    });
  }
}

/** Auto Scaling refuses to delete a group by force while its trigger retains instances, or while one is retained. */
async function deleteGroup(io: DroverIo, { autoscaling }: OperatorClients, group: AutoScalingGroup): Promise<void> {
  const { AutoScalingGroupName } = group;
  if (group.Status !== undefined) return;
  const InstanceLifecyclePolicy = { RetentionTriggers: { TerminateHookAbandon: 'terminate' as const } };
  await autoscaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, InstanceLifecyclePolicy }));
  const retained = (group.Instances ?? []).filter(
    ({ LifecycleState }) => (LifecycleState as string) === terminatingRetained,
  );
  for (const { InstanceId } of retained)
    await autoscaling.send(
      new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity: false }),
    );
  await autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true }));
  io.stdout(`${AutoScalingGroupName}: its instances are terminated\n`);
}

import { type Clock, describeError } from '@drover/core';
import { namesOf } from '@drover/core/names/node-groups';
import { groupNames, hooks, metrics, trafficTag } from '@drover/core/names/search-cluster';
import type { TargetAction } from '../decide/traffic/targets.ts';
import { decideWatch, keptInstances, rebalancing, type WatchAction, type WatchFacts } from '../decide/watch.ts';
import { replyText } from '../model/traffic.ts';
import type {
  AwaitedDeployments,
  ClusterMetrics,
  DataVolumes,
  GroupInstances,
  GroupProcesses,
  GrowthNotes,
  InstanceTags,
  LaunchNotes,
  LifecycleHook,
  LoadBalancerTargets,
  RetainedInstances,
  RoomNotes,
  StateObjects,
} from '../ports.ts';

export interface WatchRun {
  readonly clock: Clock;
  readonly clusterName: string;
  readonly instances: Pick<GroupInstances, 'groupsOf' | 'ofGroups'>;
  readonly processes: GroupProcesses;
  readonly notes: LaunchNotes;
  readonly state: Pick<StateObjects, 'read'>;
  readonly deployments: AwaitedDeployments;
  readonly hook: Pick<LifecycleHook, 'complete'>;
  readonly retained: RetainedInstances;
  readonly targets: LoadBalancerTargets;
  readonly tags: InstanceTags;
  readonly growth: GrowthNotes;
  readonly room: Pick<RoomNotes, 'read'>;
  readonly volumes: DataVolumes;
  readonly metrics: ClusterMetrics;
  onAction(what: string, detail: object): void;
  onFailure(what: string): void;
}

/** One pass over a cluster's groups from outside. What fails is done by the next pass; the rest is done all the same. */
export async function watchCluster(run: WatchRun): Promise<void> {
  const facts = await gather(run);
  await run.metrics.put(run.clusterName, { [metrics.retained]: keptInstances(facts).length });
  for (const action of decideWatch(facts, run.clock.now()))
    await apply(run, action).catch((error: unknown) => run.onFailure(`${action.kind}: ${describeError(error)}`));
}

async function gather(run: WatchRun): Promise<WatchFacts> {
  const { clusterName, clock } = run;
  const nodeGroups = await run.instances.groupsOf(clusterName);
  const names = namesOf(nodeGroups);
  // First the targets: an instance that has left service since is not registered.
  const targetGroups = await run.targets.ofGroups(names).catch((error: unknown) => {
    run.onFailure(`targets: ${describeError(error)}`);
    return undefined;
  });
  const instances = await run.instances.ofGroups(names);
  const deployment = await run.deployments.read();
  const late = deployment !== undefined && !deployment.answered && clock.now() >= deployment.deadlineAt;
  const groups = await run.processes.frames(names);
  return {
    clusterName,
    nodeGroups,
    instances,
    targetGroups,
    formed: (await run.state.read('formed')) !== undefined,
    deployment,
    notes: late ? await run.notes.notes() : [],
    groups,
    growth: await readGrowth(run, groups, instances),
  };
}

/** Most clusters were never grown: their volumes are not asked about. */
async function readGrowth(
  run: WatchRun,
  groups: WatchFacts['groups'],
  instances: WatchFacts['instances'],
): Promise<WatchFacts['growth']> {
  try {
    const leastGiB = (await run.growth.read())?.leastGiB;
    const name = groupNames.data(run.clusterName);
    const mostGiB = groups.find(({ groupName }) => groupName === name)?.volumeMaxGiB;
    const step = mostGiB === undefined ? undefined : (await run.room.read())?.[name]?.step;
    const askedGiB = step?.kind === 'volume' ? step.volumeGiB : undefined;
    if (leastGiB === undefined && askedGiB === undefined) return undefined;
    const volumes = await run.volumes.of(instances.map(({ instanceId }) => instanceId));
    return { leastGiB, askedGiB, mostGiB, volumes };
  } catch (error) {
    run.onFailure(`volumes: ${describeError(error)}`);
    return undefined;
  }
}

async function apply(run: WatchRun, action: WatchAction): Promise<void> {
  if (action.kind === 'fail-deployment') {
    run.onAction('the deployment is notified that the cluster is not ready', { reason: action.reason });
    await run.deployments.answer(action.deployment, action.reason);
    return await run.deployments.write({ ...action.deployment, answered: true });
  }
  if (action.kind === 'suspend-rebalancing') {
    run.onAction('rebalancing between zones is suspended', { groupName: action.groupName });
    return await run.processes.suspend(action.groupName, rebalancing);
  }
  if (action.kind === 'note-growth') {
    run.onAction('volumes of data nodes are grown, because their disks are too full', action);
    return await run.growth.write({ leastGiB: action.leastGiB });
  }
  if (action.kind === 'grow-volume') {
    const { volume, sizeGiB } = action;
    const { notNow } = await run.volumes.grow(volume.volumeId, sizeGiB);
    return run.onAction(notNow ?? 'a volume below the size that the cluster was grown to is grown', {
      ...volume,
      sizeGiB,
    });
  }
  if ('instanceId' in action) return await changeTarget(run, action);
  const { instanceId, groupName } = action.instance;
  run.onAction('an instance that never became a node is let go', { instanceId, groupName, action: action.kind });
  if (action.kind === 'release-retained') return await run.retained.release(instanceId);
  await run.hook.complete(action.instance, hooks.terminating.name, 'CONTINUE');
}

async function changeTarget(run: WatchRun, action: TargetAction): Promise<void> {
  const { instanceId } = action;
  if (action.kind === 'register-target') {
    const { targetGroup } = action;
    run.onAction('a node in service is made a target of its load balancer', { instanceId, targetGroup });
    return await run.targets.register(targetGroup, instanceId);
  }
  if (action.kind === 'deregister-target')
    for (const targetGroup of action.targetGroups) {
      run.onAction('a node that restarts is taken out of its load balancer', { instanceId, targetGroup });
      await run.targets.deregister(targetGroup, instanceId);
    }
  await run.tags.set(instanceId, { [trafficTag]: replyText(action.reply) });
}

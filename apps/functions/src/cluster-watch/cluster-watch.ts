import {
  awaitedDeployments,
  clusterMetrics,
  dataVolumes,
  explained,
  groupInstances,
  groupProcesses,
  growthNotes,
  instanceTags,
  launchNotes,
  lifecycleHook,
  loadBalancerTargets,
  retainedInstances,
  roomNotes,
  stateObjects,
} from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { watchEnvironment as keys } from '@drover/core/names/search-cluster';
import { watchCluster } from '@drover/search-cluster';
import { type CustomResourceEvent, customResource, property, putText } from '../custom-resource.ts';
import { type ModuleRuntime, required } from '../module-function.ts';
import { launchVersion } from './launch-version.ts';
import { nodeImage } from './node-image.ts';

type Runtime = ModuleRuntime<
  'autoscaling' | 'cloudformation' | 'ec2' | 'elasticloadbalancing' | 'monitoring' | 's3' | 'ssm'
>;

const minuteMs = 60_000;

/**
 * Watches the groups of a search cluster from outside, every few minutes and when a node is about to restart or is back; behind `Custom::NodeImage` and `Custom::LaunchVersion` it resolves the image and the version of the nodes, and behind `Custom::GreenCluster` it lets a deployment
 * wait until the masters say that the cluster is green, or until the time is over.
 */
export function clusterWatchFunction(runtime: Runtime): (event: unknown) => Promise<void> {
  const { env, aws, clock, log } = runtime;
  const tags = { clusterName: required(env, keys.clusterName), environment: required(env, keys.environment) };
  const bucket = required(env, keys.stateBucket);
  const deployments = awaitedDeployments(aws, bucket, putText(runtime.fetch));
  const request = customResource(runtime, (event) => {
    if (event.ResourceType === 'Custom::NodeImage') return nodeImage(aws, { ...tags, bucket }, event);
    if (event.ResourceType === 'Custom::LaunchVersion')
      return launchVersion(aws, bucket, event, () => isRollingBack(aws, event.StackId));
    return beginWait(runtime, deployments, event, () => stateObjects(aws, bucket).read('formed'));
  });
  return async (event) => {
    if ((event as Partial<CustomResourceEvent>).ResponseURL !== undefined) return await request(event);
    const failures: string[] = [];
    await watchCluster({
      clock,
      clusterName: required(env, keys.resourceName),
      instances: groupInstances(aws),
      processes: groupProcesses(aws),
      notes: launchNotes(aws, tags),
      state: stateObjects(aws, bucket),
      deployments,
      hook: lifecycleHook(aws),
      retained: retainedInstances(aws),
      targets: loadBalancerTargets(aws),
      tags: instanceTags(aws),
      growth: growthNotes(aws, bucket),
      room: roomNotes(aws, bucket),
      volumes: dataVolumes(aws),
      metrics: clusterMetrics(aws),
      onAction: (what, detail) => log.info(what, { ...detail }),
      onFailure: (what) => failures.push(what),
    });
    if (failures.length > 0) throw new TerminalError(failures.join('; '));
  };
}

/** Undefined: the response comes when the cluster is ready, or when the time is over. */
async function beginWait(
  { clock, aws }: Runtime,
  deployments: ReturnType<typeof awaitedDeployments>,
  event: CustomResourceEvent,
  formed: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const { StackId, RequestId, LogicalResourceId, ResponseURL: responseUrl } = event;
  const PhysicalResourceId = event.PhysicalResourceId ?? property(event, 'ClusterName');
  if (event.RequestType === 'Delete') return PhysicalResourceId;
  const [masters, data, minutes] = ['Masters', 'DataNodes', 'Minutes'].map((name) => Number(property(event, name)));
  // A cluster of a release without this resource: none of its nodes is replaced, and its masters would not respond.
  if (event.RequestType === 'Create' && (await formed()) !== undefined) return PhysicalResourceId;
  // The state before the rollback existed: a cluster that is not green must not keep the stack from it.
  if (minutes === 0 || (await isRollingBack(aws, StackId))) return PhysicalResourceId;
  await deployments.write({
    responseUrl,
    response: { StackId, RequestId, LogicalResourceId, PhysicalResourceId },
    masters: masters!,
    data: data!,
    minutes: minutes!,
    deadlineAt: clock.now() + minutes! * minuteMs,
    answered: false,
  });
  return undefined;
}

async function isRollingBack(aws: Pick<Runtime['aws'], 'cloudformation'>, StackName: string): Promise<boolean> {
  const { Stacks } = await explained(aws, 'cloudformation')('DescribeStacks', { StackName });
  return /ROLLBACK/.test(Stacks?.[0]?.StackStatus ?? '');
}

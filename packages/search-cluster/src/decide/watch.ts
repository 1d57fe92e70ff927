import { dataGroupsOf, type NodeGroup } from '@drover/core/names/node-groups';
import { clusterUuidTag, groupNames } from '@drover/core/names/search-cluster';
import type { AwaitedDeployment, LaunchNote } from '../model/deployment.ts';
import { type GroupInstance, inService, terminatingRetained, terminatingWait } from '../model/lifecycle.ts';
import type { GroupFrame } from '../model/spread.ts';
import { type GrowthFacts, growSmallVolumes, type VolumeGrowth } from './growth/small-volumes.ts';
import { decideTargets, type TargetAction, type TargetFacts } from './traffic/targets.ts';

/** The facts about a cluster that are visible from outside: from Auto Scaling, EC2 and the state bucket. */
export interface WatchFacts extends TargetFacts {
  readonly clusterName: string;
  readonly nodeGroups: readonly NodeGroup[];
  /** The state bucket says that the cluster has formed. */
  readonly formed: boolean;
  readonly deployment: AwaitedDeployment | undefined;
  readonly notes: readonly LaunchNote[];
  /** Undefined when the volumes were never grown and are not to be, or could not be read. */
  readonly growth: GrowthFacts | undefined;
  /** Those that exist. */
  readonly groups: readonly GroupFrame[];
}

export type WatchAction =
  | TargetAction
  | VolumeGrowth
  | { readonly kind: 'suspend-rebalancing'; readonly groupName: string }
  | { readonly kind: 'release-retained'; readonly instance: GroupInstance }
  | { readonly kind: 'complete-hook'; readonly instance: GroupInstance }
  | { readonly kind: 'fail-deployment'; readonly deployment: AwaitedDeployment; readonly reason: string };

/** Decides the acts from outside, none of which depend on a cluster that may not be there. */
export const decideWatch = (facts: WatchFacts, now: number): readonly WatchAction[] => [
  ...decideTargets(facts, now),
  ...facts.instances.flatMap((instance) => release(facts, instance)),
  ...lateDeployment(facts, now),
  ...rebalancingGroups(facts),
  ...growSmallVolumes(facts.clusterName, facts.instances, facts.growth),
];

/** AZRebalance moves every byte of a node, on its own, as soon as a zone is back. CloudFormation has no property to switch it off. */
export const rebalancing = 'AZRebalance';

const rebalancingGroups = ({ groups }: WatchFacts): readonly WatchAction[] =>
  groups
    .filter(({ suspended }) => !suspended.includes(rebalancing))
    .map(({ groupName }) => ({ kind: 'suspend-rebalancing', groupName }));

/** Instances that stay retained: an operator has to look at their data. */
export const keptInstances = ({ instances }: Pick<WatchFacts, 'instances'>): readonly GroupInstance[] =>
  instances.filter((instance) => instance.lifecycleState === terminatingRetained && wasNode(instance));

/** A node has the tag as soon as it has joined: by its own commission, or by the reap of the masters. */
const wasNode = ({ tags }: GroupInstance) => tags[clusterUuidTag] !== undefined;

/**
 * An instance that never became a node holds nothing. In a cluster that has formed it waits until its hook has run out, an hour
 * in which the masters tag it if it has joined after all; before there is a cluster there is nothing to wait for.
 */
function release(facts: WatchFacts, instance: GroupInstance): readonly WatchAction[] {
  if (wasNode(instance)) return [];
  if (instance.lifecycleState === terminatingRetained) return [{ kind: 'release-retained', instance }];
  const formed = facts.formed || facts.instances.some(wasNode);
  return instance.lifecycleState === terminatingWait && !formed ? [{ kind: 'complete-hook', instance }] : [];
}

function lateDeployment({ deployment, ...facts }: WatchFacts, now: number): readonly WatchAction[] {
  if (deployment === undefined || deployment.answered || now < deployment.deadlineAt) return [];
  return [{ kind: 'fail-deployment', deployment, reason: whyNotReady(facts, deployment) }];
}

/** CloudFormation shows a reason of about this length. */
const mostWords = 5;

function whyNotReady(
  { clusterName, nodeGroups, instances, notes }: Omit<WatchFacts, 'deployment'>,
  { masters, data, minutes }: AwaitedDeployment,
): string {
  const serving = (groups: readonly string[]) =>
    instances.filter(({ groupName, lifecycleState }) => groups.includes(groupName) && lifecycleState === inService)
      .length;
  const counts = `${serving([groupNames.master(clusterName)])} of ${masters} masters and ${serving(dataGroupsOf(nodeGroups))} of ${data} data nodes are in service`;
  const noted = new Set(notes.map(({ instanceId }) => instanceId));
  const silent = instances.filter((one) => one.lifecycleState !== inService && !noted.has(one.instanceId));
  const said = [
    ...notes.map(({ groupName, instanceId, note }) => `${instanceId} of ${groupName}: ${note}`),
    ...silent.map((one) => `${one.instanceId} of ${one.groupName} is ${one.lifecycleState} and has said nothing`),
  ];
  return [`the cluster was not green within ${minutes} minutes: ${counts}`, ...said.slice(0, mostWords)].join('; ');
}

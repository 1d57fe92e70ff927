import type { AwaitedDeployment } from '../../model/deployment.ts';
import type { ClusterHealth } from '../../model/health.ts';
import { type GroupInstance, inService } from '../../model/lifecycle.ts';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import type { GroupFrame } from '../../model/spread.ts';
import type { Topology, VotingFacts } from '../../model/topology.ts';
import { restartsInPlace } from '../drain/lease.ts';

/** Whatever else may be going on in a cluster. */
export interface QuietFacts {
  readonly health: ClusterHealth;
  readonly topology: Topology;
  readonly records: readonly ShutdownRecord[];
  readonly voting: VotingFacts;
  /** Versions of the nodes. */
  readonly versions: readonly string[];
  /** Both groups, and their instances. */
  readonly groups: readonly GroupFrame[];
  readonly instances: readonly GroupInstance[];
  /** Groups whose instances are being refreshed. */
  readonly refreshes: readonly string[];
  readonly deployment: AwaitedDeployment | undefined;
}

/** Why masters are not moved now; empty while the cluster is green and nothing else is in progress. */
export function obstacles(facts: QuietFacts, now: number): readonly string[] {
  const { health, deployment, refreshes, voting } = facts;
  return [
    ...(health.status === 'green' ? [] : [`the cluster is ${health.status}`]),
    ...(deployment === undefined || deployment.answered ? [] : ['a deployment waits for the cluster']),
    ...refreshes.map((group) => `the instances of ${group} are being refreshed`),
    ...(new Set(facts.versions).size > 1 ? ['the nodes have different versions'] : []),
    ...recordsUnderWay(facts, now),
    ...(voting.exclusions.length === 0 ? [] : ['a master is excluded from voting']),
    ...facts.groups.flatMap((group) => groupObstacles(group, facts)),
  ];
}

/** Records of nodes that are gone are reaped in their own time. */
function recordsUnderWay({ records, topology }: QuietFacts, now: number): readonly string[] {
  const present = new Set(topology.nodes.map(({ id }) => id));
  const restarts = new Set(restartsInPlace(records, now));
  return records
    .filter((record) => present.has(record.nodeId) || restarts.has(record))
    .map(({ nodeId, type }) => `node ${nodeId} has a shutdown record (${type})`);
}

function groupObstacles({ groupName, desired, suspended }: GroupFrame, facts: QuietFacts): readonly string[] {
  const members = facts.instances.filter((instance) => instance.groupName === groupName);
  const there = new Set(facts.topology.nodes.map(({ ip }) => ip));
  const away = members.filter(({ lifecycleState }) => lifecycleState !== inService);
  const outside = members.filter(
    ({ lifecycleState, privateIp }) => lifecycleState === inService && !there.has(privateIp ?? ''),
  );
  return [
    ...away.map(({ instanceId, lifecycleState }) => `${instanceId} is ${lifecycleState}`),
    ...outside.map(({ instanceId }) => `the node of ${instanceId} is not in the cluster`),
    ...(members.length < desired ? [`${groupName} has ${members.length} of ${desired} instances`] : []),
    ...['Launch', 'Terminate']
      .filter((process) => suspended.includes(process))
      .map((process) => `the process ${process} of ${groupName} is suspended`),
  ];
}

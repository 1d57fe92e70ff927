import { namesOf } from '@drover/core/names/node-groups';
import { checkMembership } from '../../decide/launch/check-membership.ts';
import type { CommissionCase, CommissionHistory, CommissionReadFacts } from '../../decide/launch/commission-facts.ts';
import { isDrain } from '../../model/shutdown.ts';
import type {
  ClusterHealthReader,
  FailedShardRetry,
  GroupInstances,
  InstanceRefresh,
  InstanceTags,
  LifecycleHook,
  NodeLoadReader,
  RecoveryReader,
  ShutdownRecords,
  TopologyReader,
} from '../../ports.ts';

/** The roles of Elasticsearch that a launch needs. */
export interface CommissionSearch {
  readonly health: ClusterHealthReader;
  readonly topology: TopologyReader;
  readonly recovery: RecoveryReader;
  readonly load: NodeLoadReader;
  readonly records: ShutdownRecords;
  readonly retry: FailedShardRetry;
}

/** The roles of AWS that a launch needs. */
export interface CommissionAws {
  readonly hook: LifecycleHook;
  readonly refresh: InstanceRefresh;
  readonly tags: InstanceTags;
  readonly instances: GroupInstances;
}

/** Reads what the decision needs. The other instances are asked for until one reading shows that the node belongs. */
export async function gatherCommission(
  search: CommissionSearch,
  aws: CommissionAws | undefined,
  context: CommissionCase,
  history: CommissionHistory,
  now: number,
): Promise<CommissionReadFacts> {
  const topology = await search.topology.topology();
  const nodeId = await search.topology.localNodeId();
  const peers = history.retriedFailedShards ? undefined : await peersOf(aws, context, topology.clusterName);
  const records = await search.records.list();
  const recovery = await search.recovery.recoveriesTo(nodeId);
  const { shards: shardsOnNode } = await search.load.loadOf(nodeId);
  const read = { stage: 'read', case: context, nodeId, topology, records, recovery, shardsOnNode, peers } as const;
  const health = await search.health.health();
  return { ...read, health, history: afterReading({ ...read, health, history }, now) };
}

async function peersOf(aws: CommissionAws | undefined, { launch, resourceName }: CommissionCase, clusterName: string) {
  if (aws === undefined || launch === undefined) return undefined;
  const name = resourceName ?? clusterName;
  const groups = new Set([launch.member.groupName, ...namesOf(await aws.instances.groupsOf(name))]);
  const instances = await aws.instances.ofGroups([...groups]);
  return instances.filter((instance) => instance.instanceId !== launch.member.instanceId);
}

function afterReading(facts: CommissionReadFacts, now: number): CommissionHistory {
  const { history } = facts;
  const quiet = facts.recovery.active === 0 && history.retriedFailedShards;
  const own = facts.records.find((record) => record.nodeId === facts.nodeId && isDrain(record));
  const foreign = checkMembership(facts.topology, facts.nodeId, facts.peers).kind === 'refusal';
  return {
    ...history,
    stableReadings: quiet ? history.stableReadings + 1 : 0,
    stableSince: quiet ? (history.stableSince ?? now) : undefined,
    foreignSince: foreign ? (history.foreignSince ?? now) : undefined,
    completeReadings: own?.status === 'COMPLETE' ? history.completeReadings + 1 : 0,
  };
}

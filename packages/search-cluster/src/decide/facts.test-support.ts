/** Facts for table tests: a healthy cluster of three masters and three data nodes, from which each row differs. */

import { clusterUuidTag } from '@drover/core/names/search-cluster';
import type { ClusterHealth } from '../model/health.ts';
import type { GroupInstance, GroupMember, HookFacts } from '../model/lifecycle.ts';
import type { NodeVerdict, ShardCopy } from '../model/shard.ts';
import type { ShutdownRecord } from '../model/shutdown.ts';
import type { ClusterNode, Topology, VotingFacts } from '../model/topology.ts';
import type { BeforeFacts, DecommissionCase, DrainHistory, DrainingFacts } from './drain/decommission-facts.ts';

export const hour = 3_600_000;
export const minute = 60_000;
export const now = Date.UTC(2026, 0, 5, 12);

export const masters: readonly ClusterNode[] = ['m1', 'm2', 'm3'].map((id, at) => ({
  id,
  name: `master-${at + 1}`,
  ip: `10.0.0.${at + 1}`,
  roles: ['master'],
}));
export const dataNodes: readonly ClusterNode[] = ['d1', 'd2', 'd3'].map((id, at) => ({
  id,
  name: `data-${at + 1}`,
  ip: `10.0.1.${at + 1}`,
  roles: ['data', 'ingest'],
}));

export const topology = (nodes: readonly ClusterNode[] = [...masters, ...dataNodes]): Topology => ({
  clusterName: 'search',
  clusterUuid: 'uuid-1',
  nodes,
});
export const without = (...ids: readonly string[]): Topology =>
  topology([...masters, ...dataNodes].filter((node) => !ids.includes(node.id)));

export const health = (over: Partial<ClusterHealth> = {}): ClusterHealth => ({
  clusterName: 'search',
  status: 'green',
  nodes: 6,
  dataNodes: 3,
  relocatingShards: 0,
  initializingShards: 0,
  unassignedShards: 0,
  delayedShards: 0,
  ...over,
});

export const voting = (over: Partial<VotingFacts> = {}): VotingFacts => ({
  committed: ['m1', 'm2', 'm3'],
  exclusions: [],
  ...over,
});

export const record = (nodeId: string, over: Partial<ShutdownRecord> = {}): ShutdownRecord => ({
  nodeId,
  type: 'REMOVE',
  reason: 'instance_refresh',
  startedAt: now - minute,
  status: 'IN_PROGRESS',
  shardsRemaining: 4,
  explanation: undefined,
  verdicts: [],
  ...over,
});

export const member = (over: Partial<GroupMember> = {}): GroupMember => ({
  instanceId: 'i-d1',
  groupName: 'search-data',
  lifecycleState: 'Terminating:Wait',
  ...over,
});
export const hook = (over: Partial<HookFacts> = {}): HookFacts => ({
  name: 'terminating',
  heartbeatTimeoutMs: hour,
  globalTimeoutMs: 48 * hour,
  startedAt: now - minute,
  ...over,
});

export const instance = (over: Partial<GroupInstance> = {}): GroupInstance => ({
  ...member({ lifecycleState: 'InService' }),
  privateIp: '10.0.1.1',
  tags: { [clusterUuidTag]: 'uuid-1' },
  ...over,
});

export const terminatingCase = (over: Partial<DecommissionCase> = {}): DecommissionCase => ({
  nodeId: 'd1',
  reason: 'instance_refresh',
  terminating: { member: member(), hook: hook() },
  groupName: 'search-data',
  completeHook: true,
  deadlineAt: now + hour,
  withdrawOnGiveUp: false,
  ...over,
});
export const manualCase = (over: Partial<DecommissionCase> = {}): DecommissionCase =>
  terminatingCase({ terminating: undefined, groupName: undefined, withdrawOnGiveUp: true, ...over });

export const history = (over: Partial<DrainHistory> = {}): DrainHistory => ({
  completeReadings: 0,
  stalledReadings: 0,
  stalledSince: undefined,
  lastHeartbeatAt: now - minute,
  hookGone: false,
  leaseLastHeldAt: undefined,
  passingSince: undefined,
  ...over,
});

export const recovery = { maxBytesPerSec: '40mb', concurrentIncoming: '2', concurrentOutgoing: '2' };

export const noDisks = { copies: [], disks: [], lowWatermark: undefined, recovery, lone: [] };

export const before = (over: Partial<BeforeFacts> = {}): BeforeFacts => ({
  stage: 'before',
  case: terminatingCase(),
  history: history(),
  topology: topology(),
  records: [],
  health: health(),
  voting: voting(),
  placement: noDisks,
  ...over,
});

export const draining = (own: Partial<ShutdownRecord>, over: Partial<DrainingFacts> = {}): DrainingFacts => {
  const mine = record('d1', own);
  return {
    stage: 'draining',
    case: terminatingCase(),
    history: history(),
    topology: topology(),
    records: [mine],
    own: mine,
    voting: mine.status === 'COMPLETE' ? voting() : undefined,
    stallVerdicts: [],
    ...over,
  };
};

export const copy = (index: string, nodeId: string | undefined, over: Partial<ShardCopy> = {}): ShardCopy => ({
  index,
  shard: 0,
  primary: true,
  state: nodeId === undefined ? 'UNASSIGNED' : 'STARTED',
  nodeId,
  bytes: 2 ** 30,
  ...over,
});

export const verdict = (nodeId: string, decider?: string, explanation = 'because'): NodeVerdict => ({
  nodeId,
  nodeName: nodeId,
  possible: decider === undefined,
  against: decider === undefined ? [] : [{ decider, explanation }],
});

import { type Refusal, refuse } from '@drover/core';
import { isPassing } from '../../model/health.ts';
import { withdrawal } from '../../model/shutdown.ts';
import type { ClusterNode } from '../../model/topology.ts';
import { checkDisk } from './check-disk.ts';
import { checkHasPlace } from './check-last-copy.ts';
import { checkQuorum } from './check-quorum.ts';
import type { BeforeFacts, PlacementFacts } from './decommission-facts.ts';
import { checkTime, type DrainForecast, forecastDrain, recoverySpeed } from './forecast.ts';
import { leaseHolders, restartsInPlace } from './lease.ts';

/** How long a cluster that we waited for may be off green: a node that just left costs it a moment. */
export const settlingMs = 10 * 60_000;

/** How long a yellow that passes by itself is read again. */
export const passingMs = 5 * 60_000;

export type BeforeVerdict =
  /** A warning is what would be refused if AWS had not decided already. */
  { readonly kind: 'go'; readonly warning?: string } | { readonly kind: 'wait'; readonly because: string } | Refusal;

/**
 * Everything that must hold before a node's shutdown is registered: green, the lease free, quorum, a place for every
 * last copy, room on the disks. Quorum and places are judged when the lease is free: who drains now changes both.
 */
export function checkBefore(facts: BeforeFacts, now: number): BeforeVerdict {
  const settling = isSettling(facts, now);
  if (facts.health.status !== 'green')
    return settling || passes(facts, now)
      ? { kind: 'wait', because: `the cluster is ${facts.health.status}, it settles` }
      : notGreen(facts);
  const holder = leaseHolders(facts.records, facts.topology, now).find(({ node }) => node.id !== facts.case.nodeId);
  if (holder !== undefined) return { kind: 'wait', because: leaseHeld(holder.node, holder.record.reason) };
  const restart = restartsInPlace(facts.records, now).find(({ nodeId }) => nodeId !== facts.case.nodeId);
  if (restart !== undefined)
    return { kind: 'wait', because: `node ${restart.nodeId} restarts in place first (${restart.reason})` };
  const { topology, records, voting } = facts;
  const quorum = checkQuorum({ nodeId: facts.case.nodeId, topology, records, voting });
  // A vote that has to move first is moved at the end: the node keeps it while its shards still move.
  if (quorum.kind === 'refusal') return quorum;
  if (facts.placement === undefined) return { kind: 'wait', because: 'reading where its shards could go' };
  return checkPlacement(facts, facts.placement) ?? judgeTime(facts, facts.placement, now);
}

/** How long the node would drain, from what was read about the places of its shards. */
export function forecastOf(facts: BeforeFacts, { copies, recovery }: PlacementFacts): DrainForecast {
  const leaving = new Set(facts.records.map((record) => record.nodeId));
  const speed = recoverySpeed(recovery, facts.case.machineBytesPerSecond);
  return forecastDrain({ nodeId: facts.case.nodeId, topology: facts.topology, leaving, copies, speed });
}

/** An instance that terminates cannot be kept: as much as possible moves while its hook lasts. */
function judgeTime(facts: BeforeFacts, placement: PlacementFacts, now: number): BeforeVerdict {
  const { nodeId, terminating, allowTimeout, deadlineAt } = facts.case;
  const refusal = checkTime(nodeId, forecastOf(facts, placement), deadlineAt - now);
  if (refusal === undefined) return { kind: 'go' };
  if (terminating === undefined && allowTimeout !== true) return refusal;
  return { kind: 'go', warning: `${refusal.name}: ${refusal.reason}` };
}

function checkPlacement(facts: BeforeFacts, placement: PlacementFacts): Refusal | undefined {
  const leaving = new Set(facts.records.map((record) => record.nodeId));
  for (const { shard, verdicts } of placement.lone) {
    const refusal = checkHasPlace(shard, verdicts, leaving);
    if (refusal !== undefined) return refusal;
  }
  const { copies, disks, lowWatermark } = placement;
  return checkDisk({ nodeId: facts.case.nodeId, topology: facts.topology, leaving, copies, disks, lowWatermark });
}

const isSettling = (facts: BeforeFacts, now: number) => {
  const { leaseLastHeldAt } = facts.history;
  return leaseLastHeldAt !== undefined && now - leaseLastHeldAt < settlingMs;
};

/** A new index or a node that restarts is yellow for a moment; red, or yellow that lasts, refuses. */
const passes = ({ health, history }: BeforeFacts, now: number) =>
  isPassing(health) && (history.passingSince === undefined || now - history.passingSince < passingMs);

const notGreen = ({ health }: BeforeFacts) =>
  refuse(
    'not-green',
    `cluster ${health.clusterName} is ${health.status}, not green (${health.unassignedShards} shards unassigned, ${health.initializingShards} initializing)`,
    'see why: cluster-cli cluster allocation-explain; then wait: cluster-cli cluster-health --wait-for green',
  );

const leaseHeld = (node: ClusterNode, reason: string) =>
  `node ${node.name} drains first (${reason}); if no command drives that drain, withdraw it: ${withdrawal(node.id)}`;

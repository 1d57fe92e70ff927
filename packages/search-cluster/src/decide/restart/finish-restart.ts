import { type Refusal, refuse, type WaitStep } from '@drover/core';
import type { ClusterHealth } from '../../model/health.ts';
import { isInPlaceRestart, type ShutdownRecord } from '../../model/shutdown.ts';
import { isOlder } from '../../model/version.ts';
import type { NodeIdentity } from '../../ports.ts';
import { goodReadingsNeeded } from './prepare-restart.ts';

export interface FinishFacts {
  /** The node that stopped; undefined when no restart was prepared on this host. */
  readonly before: NodeIdentity | undefined;
  readonly now: NodeIdentity;
  /** Whether the cluster lists the node. */
  readonly joined: boolean;
  readonly records: readonly ShutdownRecord[];
  readonly health: ClusterHealth;
  /** In a cluster of two versions: replicas that no node may take are not waited for. */
  readonly allowMissingReplicas: boolean;
  /** Settled readings in a row, this one not included. */
  readonly goodReadings: number;
}

export type FinishAction = { readonly kind: 'delete-record'; readonly nodeId: string };

export type FinishOutcome = { readonly kind: 'finished' } | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Decides the next step for a node whose process runs again. */
export function decideFinishRestart(facts: FinishFacts): WaitStep<FinishAction, FinishOutcome> {
  const problem = checkIdentity(facts);
  if (problem !== undefined) return { kind: 'done', outcome: { kind: 'refused', refusal: problem } };
  if (!facts.joined) return { kind: 'wait', because: 'the node has not joined the cluster yet' };
  const { nodeId } = facts.now;
  const own = facts.records.find((record) => record.nodeId === nodeId && isInPlaceRestart(record));
  if (own !== undefined)
    return { kind: 'wait', because: 'the node is back', actions: [{ kind: 'delete-record', nodeId }] };
  if (!isSettled(facts)) return { kind: 'wait', because: settling(facts.health) };
  if (facts.goodReadings + 1 < goodReadingsNeeded) return { kind: 'wait', because: 'settled, reading once more' };
  return { kind: 'done', outcome: { kind: 'finished' } };
}

/** The same node of the same cluster, and not older than it was. */
function checkIdentity({ before, now }: FinishFacts): Refusal | undefined {
  if (before === undefined) return undefined;
  if (now.nodeId !== before.nodeId)
    return refuse(
      'other-node',
      `node ${before.nodeId} was stopped, but ${now.nodeId} has started: its data directory is another one`,
      `find the data of ${before.nodeId}; replicas are rebuilt elsewhere within the hour`,
    );
  if (now.clusterUuid !== undefined && before.clusterUuid !== undefined && now.clusterUuid !== before.clusterUuid)
    return refuse('other-cluster', `it was in cluster ${before.clusterUuid} and is now in ${now.clusterUuid}`);
  if (isOlder(now.version, before.version))
    return refuse('older-version', `it was stopped as ${before.version} and runs ${now.version}`);
  return undefined;
}

function isSettled({ health, allowMissingReplicas }: FinishFacts): boolean {
  if (health.status === 'green') return true;
  return (
    health.status === 'yellow' && allowMissingReplicas && health.initializingShards + health.relocatingShards === 0
  );
}

const settling = (health: ClusterHealth) =>
  `the cluster is ${health.status} (${health.unassignedShards} shards unassigned, ${health.initializingShards} initializing)`;

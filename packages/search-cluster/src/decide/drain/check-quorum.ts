import { type Refusal, refuse } from '@drover/core';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import type { VotingFacts } from '../../model/topology.ts';
import { isMasterEligible, type Topology } from '../../model/topology.ts';

export interface QuorumFacts {
  /** The node that wants to go. */
  readonly nodeId: string;
  readonly topology: Topology;
  /** Every record counts here: a node that has one may go at any time. */
  readonly records: readonly ShutdownRecord[];
  readonly voting: VotingFacts;
}

export type QuorumVerdict =
  | { readonly kind: 'survives' }
  /**
   * The vote can be moved to the others first: no master is missing, the voting configuration only rests on the one
   * that goes.
   */
  | { readonly kind: 'exclude-first' }
  | Refusal<'quorum-at-risk' | 'last-master'>;

/**
 * Whether the masters still elect when this node has gone. More than half of the committed voting configuration must
 * remain (Elasticsearch reference, "Voting configurations").
 */
export function checkQuorum(facts: QuorumFacts): QuorumVerdict {
  if (!facts.topology.nodes.some((node) => node.id === facts.nodeId && isMasterEligible(node)))
    return { kind: 'survives' };
  const staying = stayingMasters(facts);
  if (staying.length === 0) return lastMaster(facts);
  const { committed } = facts.voting;
  const votesLeft = committed.filter((id) => staying.includes(id)).length;
  if (!committed.includes(facts.nodeId) || 2 * votesLeft > committed.length) return { kind: 'survives' };
  if (votersAbsent(facts) === 0 && othersLeaving(facts) === 0) return { kind: 'exclude-first' };
  return refuse(
    'quorum-at-risk',
    `only ${votesLeft} of ${committed.length} voting masters would remain after node ${facts.nodeId} has gone, and more than half are needed`,
    'bring the missing masters back, or wait until the masters that are leaving were replaced; look with: cluster-cli cat nodes',
  );
}

/**
 * Whether the vote of this node can move to a master that has none. A master that died silently is in every reading for
 * half a minute. A changed voting configuration is committed by a majority of those in it: once the vote has moved, they
 * elect without this node.
 */
export const hasHeir = (facts: QuorumFacts): boolean =>
  facts.voting.committed.includes(facts.nodeId) &&
  stayingMasters(facts).some((id) => !facts.voting.committed.includes(id));

function stayingMasters(facts: QuorumFacts): readonly string[] {
  const leaving = new Set([facts.nodeId, ...facts.records.map((record) => record.nodeId)]);
  return facts.topology.nodes.filter((node) => isMasterEligible(node) && !leaving.has(node.id)).map((node) => node.id);
}

const votersAbsent = (facts: QuorumFacts) =>
  facts.voting.committed.filter((id) => !facts.topology.nodes.some((node) => node.id === id)).length;

const othersLeaving = (facts: QuorumFacts) =>
  facts.records.filter((record) => record.nodeId !== facts.nodeId && facts.voting.committed.includes(record.nodeId))
    .length;

const lastMaster = (facts: QuorumFacts) =>
  refuse(
    'last-master',
    `node ${facts.nodeId} is the last master-eligible node that stays`,
    'start another master first; look with: cluster-cli cat nodes',
  );

import type { Refusal, WaitStep } from '@drover/core';
import { hasGivenUp, isMarkedAbsent, markGaveUp, plainReason, type ShutdownRecord } from '../../model/shutdown.ts';
import { isHeartbeatDue } from '../deadline.ts';
import { checkBefore } from './check-before.ts';
import { checkQuorum, hasHeir } from './check-quorum.ts';
import type { BeforeFacts, DecommissionFacts, DrainingFacts } from './decommission-facts.ts';
import { explainStall } from './explain-stall.ts';
import { isEarlier, leaseHolders } from './lease.ts';

export type DecommissionAction =
  | { readonly kind: 'exclude-vote' }
  | { readonly kind: 'register-shutdown'; readonly reason: string }
  | { readonly kind: 'warn'; readonly what: string }
  | { readonly kind: 'withdraw-shutdown'; readonly because: string }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'cancel-refresh'; readonly because: string }
  | { readonly kind: 'tag-instance'; readonly reason: string }
  | { readonly kind: 'complete-hook' };

export type DecommissionOutcome =
  | { readonly kind: 'drained' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'stalled'; readonly refusal: Refusal }
  | { readonly kind: 'timed-out'; readonly because: string };

export type DecommissionStep = WaitStep<DecommissionAction, DecommissionOutcome>;

/** STALLED can be transient (a target briefly gone, a shrink): this many readings over this time confirm it. */
export const stalledReadingsNeeded = 5;
export const stalledForMs = 3 * 60_000;
/** A reading may be wrong once: drained means two in a row. */
export const completeReadingsNeeded = 2;

/** Decides the next step for a node that is to leave. Called every round; all state it needs is in the facts. */
export function decideDecommission(facts: DecommissionFacts, now: number): DecommissionStep {
  switch (facts.stage) {
    case 'unreadable':
      return waiting(facts, now, `Elasticsearch cannot be read: ${facts.error}`);
    case 'before':
      return decideBefore(facts, now);
    case 'draining':
      return decideDraining(facts, now);
  }
}

function decideBefore(facts: BeforeFacts, now: number): DecommissionStep {
  const verdict = checkBefore(facts, now);
  switch (verdict.kind) {
    case 'refusal':
      return done({ kind: 'refused', refusal: verdict }, [
        ...cancelRefresh(facts, verdict.name),
        ...tagInstance(facts, verdict.name, verdict.reason),
        ...heartbeat(facts, now),
      ]);
    case 'wait':
      return waiting(facts, now, verdict.because);
    case 'go':
      return waiting(facts, now, 'shutdown registered', [
        ...(verdict.warning === undefined ? [] : [{ kind: 'warn', what: verdict.warning } as const]),
        { kind: 'register-shutdown', reason: facts.case.reason },
      ]);
  }
}

function decideDraining(facts: DrainingFacts, now: number): DecommissionStep {
  const others = leaseHolders(facts.records, facts.topology, now).filter(({ node }) => node.id !== facts.own.nodeId);
  const rival = others.find(({ record }) => mustYield(facts.own, record));
  if (rival !== undefined) return yieldLease(facts, now, rival.node.name);
  if (facts.own.status === 'COMPLETE') return decideComplete(facts, now);
  if (facts.own.status === 'STALLED' && isStalled(facts, now)) return giveUpStalled(facts, now);
  const takeBack = others.length === 0 && lostLease(facts.own);
  return waiting(facts, now, progress(facts), takeBack ? [registerAgain(facts)] : []);
}

/** A drain that was given up yields to no other: its instance is doomed. One marked absent lost its turn. */
const mustYield = (own: ShutdownRecord, other: ShutdownRecord) =>
  !hasGivenUp(own) && (isMarkedAbsent(own) || isEarlier(other, own));

/** The drain goes on, but others do not see it as the lease. */
const lostLease = (own: ShutdownRecord) => isMarkedAbsent(own) || (hasGivenUp(own) && own.status !== 'STALLED');

/** Two nodes registered at the same moment: the later one takes its record back at once. */
function yieldLease(facts: DrainingFacts, now: number, holder: string): DecommissionStep {
  const because = `node ${holder} registered its shutdown earlier`;
  return waiting(facts, now, `${because}: waiting for it`, [{ kind: 'withdraw-shutdown', because }]);
}

function decideComplete(facts: DrainingFacts, now: number): DecommissionStep {
  if (facts.history.completeReadings < completeReadingsNeeded || facts.voting === undefined)
    return { kind: 'wait', because: 'drained, reading once more', actions: heartbeat(facts, now) };
  const { topology, records, voting } = facts;
  const asked = { nodeId: facts.own.nodeId, topology, records, voting };
  const quorum = checkQuorum(asked);
  if (quorum.kind === 'refusal')
    return waiting(facts, now, `drained, but not let go (${quorum.name}): ${quorum.reason}`);
  if (quorum.kind === 'exclude-first' || hasHeir(asked))
    return waiting(facts, now, 'moving the vote of this master to the others', [{ kind: 'exclude-vote' }]);
  const completes = facts.case.completeHook && facts.case.terminating !== undefined;
  return done({ kind: 'drained' }, completes ? [{ kind: 'complete-hook' }] : []);
}

function isStalled(facts: DrainingFacts, now: number): boolean {
  const { stalledReadings, stalledSince } = facts.history;
  if (hasGivenUp(facts.own)) return stalledReadings >= completeReadingsNeeded;
  return stalledReadings >= stalledReadingsNeeded && stalledSince !== undefined && now - stalledSince >= stalledForMs;
}

function giveUpStalled(facts: DrainingFacts, now: number): DecommissionStep {
  const refusal = explainStall(facts.own, facts.stallVerdicts);
  return done({ kind: 'stalled', refusal }, giveUp(facts, now, refusal.name, refusal.reason));
}

/** While the instance terminates its record stays: without it shards would return to a doomed node. */
function giveUp(facts: DrainingFacts, now: number, name: string, reason: string): DecommissionAction[] {
  if (facts.case.withdrawOnGiveUp) return [{ kind: 'withdraw-shutdown', because: name }];
  const marked = markGaveUp(facts.case.reason, name);
  return [
    ...(facts.own.reason === marked ? [] : [{ kind: 'register-shutdown', reason: marked } as const]),
    ...tagInstance(facts, name, reason),
    ...cancelRefresh(facts, name),
    ...heartbeat(facts, now),
  ];
}

/** An instance that is retained in the end carries the reason in a tag. */
const tagInstance = (facts: DecommissionFacts, name: string, reason: string): DecommissionAction[] =>
  facts.case.terminating === undefined ? [] : [{ kind: 'tag-instance', reason: `${name}: ${reason}` }];

const registerAgain = (facts: DrainingFacts): DecommissionAction => ({
  kind: 'register-shutdown',
  reason: plainReason(facts.own.reason),
});

const progress = (facts: DrainingFacts) =>
  `${facts.own.shardsRemaining} ${facts.own.shardsRemaining === 1 ? 'shard' : 'shards'} left to move (${facts.own.status})`;

/** Goes on waiting, or ends the run when its time is over. */
function waiting(
  facts: DecommissionFacts,
  now: number,
  because: string,
  actions: readonly DecommissionAction[] = [],
): DecommissionStep {
  if (now >= facts.case.deadlineAt) return done({ kind: 'timed-out', because }, timedOutActions(facts, now, because));
  return { kind: 'wait', because, actions: [...actions, ...heartbeat(facts, now)] };
}

function timedOutActions(facts: DecommissionFacts, now: number, because: string): readonly DecommissionAction[] {
  if (facts.stage === 'draining') return giveUp(facts, now, 'timed-out', because);
  return [...cancelRefresh(facts, 'timed-out'), ...heartbeat(facts, now)];
}

function heartbeat(facts: DecommissionFacts, now: number): readonly DecommissionAction[] {
  const { terminating } = facts.case;
  if (terminating === undefined || facts.history.hookGone) return [];
  return isHeartbeatDue(terminating.hook, facts.history.lastHeartbeatAt, now) ? [{ kind: 'heartbeat' }] : [];
}

const cancelRefresh = (facts: DecommissionFacts, because: string): readonly DecommissionAction[] =>
  facts.case.groupName === undefined ? [] : [{ kind: 'cancel-refresh', because }];

const done = (outcome: DecommissionOutcome, actions: readonly DecommissionAction[]): DecommissionStep => ({
  kind: 'done',
  outcome,
  actions,
});

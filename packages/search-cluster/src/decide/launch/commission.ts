import { type Refusal, refuse, type WaitStep } from '@drover/core';
import { isDrain } from '../../model/shutdown.ts';
import { hookEndsAt, isHeartbeatDue } from '../deadline.ts';
import { leaseHolders } from '../drain/lease.ts';
import { checkMembership } from './check-membership.ts';
import type { CommissionFacts, CommissionReadFacts } from './commission-facts.ts';

export type CommissionAction =
  | { readonly kind: 'retry-failed-shards' }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'tag-cluster'; readonly clusterUuid: string }
  | { readonly kind: 'complete-hook'; readonly result: 'CONTINUE' | 'ABANDON' }
  | { readonly kind: 'cancel-refresh'; readonly because: string }
  | { readonly kind: 'register-shutdown'; readonly reason: string }
  | { readonly kind: 'withdraw-shutdown' };

export type CommissionOutcome =
  | { readonly kind: 'commissioned' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'timed-out'; readonly because: string; readonly end: 'abandoned' | 'kept' | 'left-open' };

export type CommissionStep = WaitStep<CommissionAction, CommissionOutcome>;

/** One quiet reading proves nothing: rebalancing may not have begun. */
export const stableReadingsNeeded = 3;
/** How long relocations that do not touch this node may hold it up: a busy cluster always moves something. */
export const othersRelocateForMs = 10 * 60_000;
/** A node does not leave a cluster of its own by itself; this is the time for a slow join. */
export const foreignForMs = 10 * 60_000;
/** Before AWS ends the hook, the node that could not be drained is kept. */
export const lastMomentMs = 2 * 60_000;

export const abandonReason = 'commission timed out';

/** Decides the next step for a node that has just started. Called every round. */
export function decideCommission(facts: CommissionFacts, now: number): CommissionStep {
  if (facts.stage === 'unreadable')
    return now >= facts.case.deadlineAt
      ? timedOut(facts, 'left-open', `Elasticsearch cannot be read: ${facts.error}`, [])
      : wait(facts, now, `Elasticsearch cannot be read: ${facts.error}`);
  if (now >= facts.case.deadlineAt || isAbandoning(facts)) return decideAbandon(facts, now);
  const membership = checkMembership(facts.topology, facts.nodeId, facts.peers);
  if (membership.kind === 'not-yet') return wait(facts, now, membership.because);
  if (membership.kind === 'refusal') return decideForeign(facts, now, membership);
  if (!facts.history.retriedFailedShards)
    return wait(facts, now, 'retrying failed shards', [...tagCluster(facts), { kind: 'retry-failed-shards' }]);
  const unstable = whyUnstable(facts, now);
  return unstable === undefined ? commissioned(facts) : wait(facts, now, unstable);
}

/** `relocating_shards` alone says nothing about this node (desired balance, recovery queue). */
function whyUnstable({ recovery, health, history }: CommissionReadFacts, now: number): string | undefined {
  if (recovery.active > 0) return `${shards(recovery.active)} recovering to this node`;
  if (history.stableReadings < stableReadingsNeeded) return 'quiet, reading again';
  const quietForMs = now - (history.stableSince ?? now);
  if (health.relocatingShards > 0 && quietForMs < othersRelocateForMs)
    return `${shards(health.relocatingShards)} relocating between other nodes`;
  return undefined;
}

const shards = (count: number) => (count === 1 ? '1 shard is' : `${count} shards are`);

const commissioned = (facts: CommissionReadFacts): CommissionStep => ({
  kind: 'done',
  outcome: { kind: 'commissioned' },
  actions: facts.case.launch === undefined ? [] : [...tagCluster(facts), { kind: 'complete-hook', result: 'CONTINUE' }],
});

/** As soon as it has joined: from then on it may hold shards, and without the tag it would be let go as one that never joined. */
const tagCluster = ({ topology }: CommissionReadFacts): readonly CommissionAction[] => [
  { kind: 'tag-cluster', clusterUuid: topology.clusterUuid! },
];

function decideForeign(facts: CommissionReadFacts, now: number, refusal: Refusal): CommissionStep {
  const { foreignSince } = facts.history;
  if (foreignSince === undefined || now - foreignSince < foreignForMs) return wait(facts, now, refusal.reason);
  const abandon = facts.shardsOnNode === 0 ? [{ kind: 'complete-hook', result: 'ABANDON' } as const] : [];
  const actions = facts.case.launch === undefined ? [] : [cancelRefresh(refusal.name), ...abandon];
  return { kind: 'done', outcome: { kind: 'refused', refusal }, actions };
}

/** An earlier run timed out and began to drain the node again. */
const isAbandoning = (facts: CommissionReadFacts) => ownRecord(facts)?.reason.startsWith(abandonReason) ?? false;

/** Time is over: a node that holds no shard is abandoned; any other is drained first, and kept when that fails. */
function decideAbandon(facts: CommissionReadFacts, now: number): CommissionStep {
  const because = whyUnstable(facts, now) ?? 'the node is not settled';
  const { launch } = facts.case;
  if (launch === undefined) return timedOut(facts, 'left-open', because, []);
  const own = ownRecord(facts);
  const drained = own?.status === 'COMPLETE' && facts.history.completeReadings >= 2;
  if (facts.shardsOnNode === 0 || drained)
    return timedOut(facts, 'abandoned', because, [{ kind: 'complete-hook', result: 'ABANDON' }]);
  if (now >= hookEndsAt(launch.hook) - lastMomentMs) return keep(facts, because, own !== undefined);
  if (own !== undefined) return wait(facts, now, `${because}; draining before the node is abandoned`);
  const holder = leaseHolders(facts.records, facts.topology, now)[0];
  if (holder !== undefined) return wait(facts, now, `${because}; waiting until node ${holder.node.name} has drained`);
  return wait(facts, now, `${because}; registering its shutdown`, [
    cancelRefresh('timed-out'),
    { kind: 'register-shutdown', reason: abandonReason },
  ]);
}

/** An abandoned launch is terminated at once: what cannot be drained is better kept than lost. */
const keep = (facts: CommissionReadFacts, because: string, registered: boolean) =>
  timedOut(facts, 'kept', because, [
    ...(registered ? [{ kind: 'withdraw-shutdown' } as const] : []),
    { kind: 'complete-hook', result: 'CONTINUE' },
  ]);

const ownRecord = (facts: CommissionReadFacts) =>
  facts.records.find((record) => record.nodeId === facts.nodeId && isDrain(record));

function timedOut(
  facts: CommissionFacts,
  end: 'abandoned' | 'kept' | 'left-open',
  because: string,
  actions: readonly CommissionAction[],
): CommissionStep {
  const cancel = facts.case.launch === undefined ? [] : [cancelRefresh('timed-out')];
  return { kind: 'done', outcome: { kind: 'timed-out', because, end }, actions: [...cancel, ...actions] };
}

function wait(
  facts: CommissionFacts,
  now: number,
  because: string,
  actions: readonly CommissionAction[] = [],
): CommissionStep {
  return { kind: 'wait', because, actions: [...actions, ...heartbeat(facts, now)] };
}

function heartbeat(facts: CommissionFacts, now: number): readonly CommissionAction[] {
  const { launch } = facts.case;
  if (launch === undefined || facts.history.hookGone) return [];
  return isHeartbeatDue(launch.hook, facts.history.lastHeartbeatAt, now) ? [{ kind: 'heartbeat' }] : [];
}

const cancelRefresh = (because: string): CommissionAction => ({ kind: 'cancel-refresh', because });

/** The instance is on its way out: there is nothing to commission. */
export const notLaunching = (state: string): Refusal<'not-launching'> =>
  refuse('not-launching', `the instance is ${state}, not launching`, 'nothing: the decommission job takes care of it');

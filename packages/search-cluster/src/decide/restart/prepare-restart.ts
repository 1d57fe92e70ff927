import { type Refusal, refuse, type WaitStep } from '@drover/core';
import type { ClusterHealth } from '../../model/health.ts';
import { isActive, isDrillCopy, nameShard, type ShardCopy } from '../../model/shard.ts';
import { isInPlaceRestart, markInPlace, type ShutdownRecord } from '../../model/shutdown.ts';
import type { Topology, VotingFacts } from '../../model/topology.ts';
import type { TrafficFacts, TrafficNote } from '../../model/traffic.ts';
import type { LeaseLag } from '../../ports.ts';
import { checkQuorum } from '../drain/check-quorum.ts';
import { isEarlier, leaseHolders, restartsInPlace } from '../drain/lease.ts';
import { decideOwnTraffic, type TrafficStep } from '../traffic/own-traffic.ts';

/** Facts that hold for the whole preparation. */
export interface RestartCase {
  readonly nodeId: string;
  readonly reason: string;
  readonly deadlineAt: number;
  /** Goes on although shards, or the masters, are unavailable while the node is down. */
  readonly allowUnavailable: boolean;
  /** In a cluster of two versions: replicas that no node may take are no reason to stop. */
  readonly allowMissingReplicas: boolean;
}

/** Observations of earlier rounds of this run. Losing it costs time, never safety. */
export interface RestartHistory {
  /** Readings in a row that allow the restart, this one not included. */
  readonly goodReadings: number;
  /** When this run has flushed; undefined before. */
  readonly flushedAt: number | undefined;
  /** Why the node cannot be taken out of its load balancer; undefined while nothing refuses it. */
  readonly trafficRefused?: string;
}

export interface RestartFacts {
  readonly case: RestartCase;
  readonly history: RestartHistory;
  readonly health: ClusterHealth;
  readonly topology: Topology;
  readonly records: readonly ShutdownRecord[];
  readonly voting: VotingFacts;
  readonly copies: readonly ShardCopy[];
  /** Snapshots that are being taken. */
  readonly snapshots: readonly string[];
  /** Read once the cluster was flushed. */
  readonly leases: readonly LeaseLag[] | undefined;
  /** Undefined when the process is not to be stopped, and where no load balancer sends requests. */
  readonly traffic: TrafficFacts | undefined;
}

export type RestartAction =
  | { readonly kind: 'register-restart'; readonly reason: string }
  | { readonly kind: 'withdraw-restart'; readonly because: string }
  | { readonly kind: 'flush' }
  | { readonly kind: 'ask-no-requests'; readonly note: TrafficNote };

export type RestartOutcome =
  /** It may be stopped; `warning` says what costs more than it should: files that are copied again, requests that fail. */
  | { readonly kind: 'ready'; readonly warning: string | undefined }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type RestartStep = WaitStep<RestartAction, RestartOutcome>;

/** A reading may be wrong once. */
export const goodReadingsNeeded = 2;
/** Leases follow every 30 seconds; longer than this and constant writes keep them behind. */
export const leaseWaitMs = 2 * 60_000;
/** A lease this far behind is cheap to catch up: 1 % of the operations, or `behindCount`. */
const behindShare = 0.01;
const behindCount = 100;

/** Decides the next step for a node that is to be stopped for a moment with its data in place. Called every round. */
export function decidePrepareRestart(facts: RestartFacts, now: number): RestartStep {
  const own = facts.records.find((record) => record.nodeId === facts.case.nodeId);
  const verdict = checkRestart(facts, now);
  if (own !== undefined && isInPlaceRestart(own)) return decidePrepared(facts, own, verdict, now);
  if (own !== undefined) return refused(leaving(own));
  if (verdict !== undefined) return waiting(facts, verdict, now);
  if (facts.history.goodReadings + 1 < goodReadingsNeeded) return { kind: 'wait', because: 'good, reading once more' };
  const reason = markInPlace(facts.case.reason);
  return { kind: 'wait', because: 'restart registered', actions: [{ kind: 'register-restart', reason }] };
}

/** The unmet condition, by name; undefined when all hold. `wait` may pass by itself, a refusal will not. */
type Objection = Refusal | { readonly kind: 'wait'; readonly because: string };

/** Everything that must hold until the process is stopped: the lease free, green, no snapshot, quorum, a started copy elsewhere. */
export function checkRestart(facts: RestartFacts, now: number): Objection | undefined {
  return (
    checkLease(facts, now) ?? checkHealth(facts) ?? checkSnapshots(facts) ?? checkMasters(facts) ?? checkCopies(facts)
  );
}

function checkLease(facts: RestartFacts, now: number): Objection | undefined {
  const drain = leaseHolders(facts.records, facts.topology, now).find(({ node }) => node.id !== facts.case.nodeId);
  if (drain !== undefined)
    return { kind: 'wait', because: `node ${drain.node.name} drains first (${drain.record.reason})` };
  const own = facts.records.find(({ nodeId }) => nodeId === facts.case.nodeId);
  const rival = restartsInPlace(facts.records, now).find(
    (record) => record.nodeId !== facts.case.nodeId && (own === undefined || isEarlier(record, own)),
  );
  return rival === undefined
    ? undefined
    : { kind: 'wait', because: `node ${rival.nodeId} restarts first (${rival.reason})` };
}

function checkHealth({ case: { allowMissingReplicas }, health }: RestartFacts): Refusal | undefined {
  const moving = health.initializingShards + health.relocatingShards;
  if (health.status === 'green' || (health.status === 'yellow' && allowMissingReplicas && moving === 0))
    return undefined;
  return refuse(
    'not-green',
    `cluster ${health.clusterName} is ${health.status}, not green (${health.unassignedShards} shards unassigned, ${moving} moving)`,
    'see why: cluster-cli cluster allocation-explain; then wait: cluster-cli cluster-health --wait-for green',
  );
}

/** A node that stops while its shards are copied leaves the snapshot PARTIAL. */
function checkSnapshots({ case: { nodeId }, copies, snapshots: [running] }: RestartFacts): Objection | undefined {
  return running === undefined || !copies.some((copy) => copy.nodeId === nodeId)
    ? undefined
    : { kind: 'wait', because: `snapshot ${running} is being taken` };
}

/** A vote that would have to move first stays where it is: the node comes back with it, so here it is a risk. */
function checkMasters({ case: { nodeId, allowUnavailable }, topology, records, voting }: RestartFacts) {
  if (allowUnavailable) return undefined;
  const verdict = checkQuorum({ nodeId, topology, records: records.filter((one) => one.nodeId !== nodeId), voting });
  if (verdict.kind === 'survives') return undefined;
  if (verdict.kind === 'refusal') return verdict;
  return refuse(
    'quorum-at-risk',
    `the masters cannot elect a leader while node ${nodeId} is down: ${voting.committed.length} of them vote`,
    'run three masters, or accept that the cluster is unavailable meanwhile: --allow-unavailable',
  );
}

function checkCopies({ case: { nodeId, allowUnavailable }, copies, records }: RestartFacts): Refusal | undefined {
  if (allowUnavailable) return undefined;
  const away = new Set([nodeId, ...records.map((record) => record.nodeId)]);
  const key = ({ index, shard }: ShardCopy) => `${index}/${shard}`;
  const elsewhere = new Set(
    copies.filter((copy) => isActive(copy) && copy.nodeId !== undefined && !away.has(copy.nodeId)).map(key),
  );
  const lone = copies.filter((copy) => copy.nodeId === nodeId && !isDrillCopy(copy) && !elsewhere.has(key(copy)));
  const [first] = lone;
  if (first === undefined) return undefined;
  return refuse(
    'no-copy-elsewhere',
    `${nameShard(first)} has no started copy on another node (${lone.length} such ${lone.length === 1 ? 'shard' : 'shards'})`,
    `add a replica: cluster-cli api PUT /${first.index}/_settings -d '{"index.number_of_replicas":1}'; or accept that it is unavailable meanwhile: --allow-unavailable`,
  );
}

/** The record is ours: flush, wait for the leases and the open requests, and look once more before the process is stopped. */
function decidePrepared(
  facts: RestartFacts,
  own: ShutdownRecord,
  objection: Objection | undefined,
  now: number,
): RestartStep {
  if (objection !== undefined) {
    const because = 'because' in objection ? objection.because : objection.reason;
    const step = waiting(facts, objection, now);
    return { ...step, actions: [{ kind: 'withdraw-restart', because }] };
  }
  const traffic = trafficStep(facts, now);
  const asking: readonly RestartAction[] =
    traffic.kind === 'wait' && traffic.ask !== undefined ? [{ kind: 'ask-no-requests', note: traffic.ask }] : [];
  const { flushedAt } = facts.history;
  if (flushedAt === undefined || facts.leases === undefined)
    return { kind: 'wait', because: 'flushed, waiting for the leases', actions: [...asking, { kind: 'flush' }] };
  if (traffic.kind === 'wait') return { kind: 'wait', because: traffic.because, actions: asking };
  const late = facts.leases.filter(isBehind);
  if (late.length === 0 && own.status === 'COMPLETE') return ready(traffic.warning);
  if (late.length > 0 && now - flushedAt >= leaseWaitMs)
    return ready(
      [
        `the leases of ${late.length} shards stay behind (${late[0]!.index}): their files may be copied again`,
        traffic.warning ?? [],
      ]
        .flat()
        .join('; '),
    );
  return { kind: 'wait', because: `the leases of ${late.length} shards are behind` };
}

/** Beside the leases, so that neither waits for the other. */
export function trafficStep({ traffic, history: { trafficRefused } }: RestartFacts, now: number): TrafficStep {
  if (traffic === undefined) return { kind: 'free', warning: undefined };
  if (trafficRefused === undefined) return decideOwnTraffic(traffic, now);
  return { kind: 'free', warning: `it stays in its load balancer, so clients may see errors: ${trafficRefused}` };
}

const isBehind = ({ behind, maxSeqNo }: LeaseLag) =>
  behind === undefined || behind > Math.max(behindCount, maxSeqNo * behindShare);

/** Waits, until the time is over, for a condition that passes by itself; any other ends the run at once. */
function waiting(facts: RestartFacts, objection: Objection, now: number): RestartStep {
  if (objection.kind === 'wait') return { kind: 'wait', because: objection.because };
  if (objection.name === 'not-green' && facts.health.status === 'yellow' && now < facts.case.deadlineAt)
    return { kind: 'wait', because: objection.reason };
  return refused(objection);
}

const leaving = (own: ShutdownRecord) =>
  refuse(
    'leaving',
    `node ${own.nodeId} has a shutdown record of type ${own.type} (${own.reason})`,
    'let its drain end; a node that leaves is not restarted',
  );

const ready = (warning: string | undefined): RestartStep => ({ kind: 'done', outcome: { kind: 'ready', warning } });
const refused = (refusal: Refusal): RestartStep => ({ kind: 'done', outcome: { kind: 'refused', refusal } });

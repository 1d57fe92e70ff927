import type { NodeVerdict } from './shard.ts';

export type ShutdownStatus = 'NOT_STARTED' | 'IN_PROGRESS' | 'STALLED' | 'COMPLETE';

/** A node shutdown record as the cluster keeps it. */
export interface ShutdownRecord {
  readonly nodeId: string;
  readonly type: string;
  readonly reason: string;
  readonly startedAt: number;
  readonly status: ShutdownStatus;
  readonly shardsRemaining: number;
  /** Elasticsearch's own sentence, e.g. which shard cannot move. */
  readonly explanation: string | undefined;
  /** Why the shard that the explanation names can go to no node. */
  readonly verdicts: readonly NodeVerdict[];
}

/**
 * A record's reason is the only text in the cluster that all nodes read, so it also says what became of the drain.
 * Writing it again resets the record's start time: Elasticsearch treats a changed record as a new one.
 */
const gaveUpMark = ' [gave up: ';
const absentMark = ' [node is absent]';
const inPlaceMark = ' [in place]';

/** The reason as the operator gave it. */
export const plainReason = (reason: string): string => {
  const cut = [gaveUpMark, absentMark, inPlaceMark].map((mark) => reason.indexOf(mark)).filter((at) => at >= 0);
  return cut.length === 0 ? reason : reason.slice(0, Math.min(...cut));
};

export const markGaveUp = (reason: string, why: string): string => `${plainReason(reason)}${gaveUpMark}${why}]`;
export const markAbsent = (reason: string): string => `${plainReason(reason)}${absentMark}`;

export const markInPlace = (reason: string): string => `${plainReason(reason)}${inPlaceMark}`;

/** How long Elasticsearch waits for the copies of a node that restarts in place, and how long its record is the lease. */
export const restartDelayMs = 60 * 60_000;

/** A restart that `prepare-restart` drives. Restarts that others have registered are none of ours. */
export const isInPlaceRestart = (record: ShutdownRecord): boolean =>
  record.type === 'RESTART' && record.reason.includes(inPlaceMark);

/** A record that moves shards away. A RESTART moves none: it is complete at once and says nothing about a drain. */
export const isDrain = (record: ShutdownRecord): boolean => record.type === 'REMOVE' || record.type === 'REPLACE';

/** No command drives this drain any more: its record stays, but it is no lease. */
export const hasGivenUp = (record: ShutdownRecord): boolean => record.reason.includes(gaveUpMark);

/** Reap has seen the node absent, first at the record's start time. */
export const isMarkedAbsent = (record: ShutdownRecord): boolean => record.reason.includes(absentMark);

/** The command that ends this record when all goes well. */
function driverOf(record: ShutdownRecord): string {
  if (hasGivenUp(record)) return 'its drain was given up, and no command drives it';
  if (isInPlaceRestart(record))
    return 'a restart in place: cluster-cli cluster finish-restart or drover cluster upgrade ends it, reap an hour after it began';
  if (isDrain(record))
    return 'a drain: the scheduled run of its node drives it while its instance is terminating, otherwise only the command that registered it';
  return 'a restart that was registered by hand or by another tool, which has to end it';
}

/**
 * Describes a record: since when, why, what drives it, and the command that removes it if nothing does. Until then no
 * other node may leave.
 */
export const describeRecord = (record: ShutdownRecord, node = `node ${record.nodeId}`): string =>
  `${node} has a shutdown record (${record.type} since ${new Date(record.startedAt).toISOString().slice(0, 16)}Z, reason "${record.reason}"), ${driverOf(record)}; if none does: ${withdrawal(record.nodeId)}`;

export const withdrawal = (nodeId: string): string => `cluster-cli api DELETE /_nodes/${nodeId}/shutdown`;

import {
  hasGivenUp,
  isDrain,
  isInPlaceRestart,
  isMarkedAbsent,
  restartDelayMs,
  type ShutdownRecord,
} from '../../model/shutdown.ts';
import type { ClusterNode, Topology } from '../../model/topology.ts';

/** Age of a record that no command can still be driving: longer than AWS lets any hook wait. */
export const leaseLimitMs = 48 * 3_600_000;

/**
 * The shutdown record is the lease: who holds it drains, one node at a time over both groups. Records of absent nodes
 * and of nodes that gave up are no lease, nor are restarts of others, which move no shard.
 */
export function leaseHolders(
  records: readonly ShutdownRecord[],
  topology: Topology,
  now: number,
): readonly { readonly record: ShutdownRecord; readonly node: ClusterNode }[] {
  return records.flatMap((record) => {
    const node = topology.nodes.find((present) => present.id === record.nodeId);
    return node !== undefined && isLease(record, now) ? [{ record, node }] : [];
  });
}

const isLease = (record: ShutdownRecord, now: number) =>
  isDrain(record) && !hasGivenUp(record) && !isMarkedAbsent(record) && now - record.startedAt < leaseLimitMs;

/** Restarts in place that are under way. The lease stays with a node that is down: it comes back. */
export const restartsInPlace = (records: readonly ShutdownRecord[], now: number): readonly ShutdownRecord[] =>
  records.filter((record) => isInPlaceRestart(record) && now - record.startedAt < restartDelayMs);

/** Of two records the earlier one keeps the lease; at the same time, the lower node id. */
export const isEarlier = (a: ShutdownRecord, b: ShutdownRecord): boolean =>
  a.startedAt < b.startedAt || (a.startedAt === b.startedAt && a.nodeId < b.nodeId);

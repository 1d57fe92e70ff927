import { metrics, overdueSeconds, type SnapshotPolicy, softwareTag } from '@drover/core/names/search-cluster';
import type { ClusterHealth } from '../model/health.ts';
import { type GroupInstance, terminatingRetained } from '../model/lifecycle.ts';
import { isDrain, type ShutdownRecord } from '../model/shutdown.ts';
import type { PolicyRuns } from '../model/snapshot.ts';
import { reportIn, type Software } from '../model/software.ts';
import type { NodeDisk, Topology } from '../model/topology.ts';
import type { CountedRejections, NodePressure } from '../ports.ts';

/** The elected master's facts about its cluster. A fact that could not be read is undefined, and is not published. */
export interface VitalFacts {
  readonly health: ClusterHealth | undefined;
  readonly topology: Topology | undefined;
  readonly records: readonly ShutdownRecord[] | undefined;
  readonly instances: readonly GroupInstance[] | undefined;
  /** When the terminations began that wait on a hook: a drain that is refused has no record. */
  readonly terminatingSince?: readonly number[] | undefined;
  readonly disks: readonly NodeDisk[] | undefined;
  readonly policies: readonly PolicyRuns[] | undefined;
  readonly pressure?: readonly NodePressure[] | undefined;
  /** The refusals that were counted last; undefined when none were. */
  readonly rejectedBefore?: CountedRejections | undefined;
  readonly blockedIndices?: readonly string[] | undefined;
  /** The software that the nodes should have. */
  readonly software?: Software | undefined;
  /** The policies as they should be. */
  readonly wantedPolicies: readonly SnapshotPolicy[];
}

export type MetricValues = Readonly<Record<string, number>>;

/** The metrics that the alarms of a cluster watch. A health that cannot be read is not green. */
export function vitalSigns(facts: VitalFacts, now: number): MetricValues {
  const { health, records, instances, policies = [] } = facts;
  // A node that has just come does not know its disk yet.
  const disks = (facts.disks ?? []).filter(({ totalBytes }) => totalBytes > 0);
  return {
    [metrics.notGreen]: health?.status === 'green' ? 0 : 1,
    ...(policies.length === 0
      ? {}
      : { [metrics.snapshotAge]: snapshotAgeSeconds(policies, facts.wantedPolicies, now) }),
    ...(disks.length === 0 ? {} : { [metrics.diskUsed]: Math.max(...disks.map(usedPercent)) }),
    ...(records === undefined ? {} : { [metrics.drain]: longestDrainSeconds(facts, records, now) }),
    ...(instances === undefined ? {} : { [metrics.retained]: instances.filter(isRetained).length }),
    ...(instances === undefined || facts.software === undefined
      ? {}
      : { [metrics.rollStopped]: instances.some(couldNotTake(facts.software)) ? 1 : 0 }),
    ...(facts.blockedIndices === undefined ? {} : { [metrics.blockedIndices]: facts.blockedIndices.length }),
    ...pressureSigns(facts, now),
  };
}

/** A master that was elected again would report the refusals of a day as those of five minutes. */
const countedLatelyMs = 20 * 60_000;

/** Refusals are those since the last count: a node counts from its start, and one that was not counted before has its first count now. */
function pressureSigns({ pressure = [], rejectedBefore }: VitalFacts, now: number): MetricValues {
  if (pressure.length === 0) return {};
  const counted = rejectedBefore !== undefined && now - rejectedBefore.at < countedLatelyMs;
  const since = pressure.map(({ nodeId, rejected }) => {
    const before = rejectedBefore?.byNode[nodeId] ?? rejected;
    // Fewer than before: the node has started again.
    return rejected >= before ? rejected - before : rejected;
  });
  return {
    [metrics.heapUsed]: Math.max(...pressure.map(({ heapPercent }) => heapPercent)),
    ...(counted ? { [metrics.rejected]: since.reduce((sum, count) => sum + count, 0) } : {}),
  };
}

const usedPercent = ({ totalBytes, availableBytes }: NodeDisk) => (100 * (totalBytes - availableBytes)) / totalBytes;
const couldNotTake =
  ({ digest }: Software) =>
  ({ tags }: GroupInstance): boolean => {
    const report = reportIn(tags[softwareTag]);
    return report?.digest === digest && report.state === 'failed';
  };
const isRetained = ({ lifecycleState }: GroupInstance) => lifecycleState === terminatingRetained;

/**
 * Age of the newest snapshot, or of the policy that is most overdue: the hourly policy must not hide that the daily one fails.
 * A policy that has none yet is as old as itself, so that a new cluster is not late.
 */
function snapshotAgeSeconds(policies: readonly PolicyRuns[], wanted: readonly SnapshotPolicy[], now: number): number {
  const limits = new Map(wanted.map((policy) => [policy.id, overdueSeconds(policy)]));
  const ages = policies.map(({ id, lastSuccessAt, changedAt }) => ({
    id,
    seconds: (now - (lastSuccessAt ?? changedAt)) / 1000,
  }));
  const overdue = ages.filter(({ id, seconds }) => seconds > (limits.get(id) ?? Number.POSITIVE_INFINITY));
  return Math.max(Math.min(...ages.map(({ seconds }) => seconds)), ...overdue.map(({ seconds }) => seconds));
}

/** Of nodes that are there, the record of one that left is reaped in its own time; and of terminations that wait, drained or not. */
function longestDrainSeconds(
  { topology, terminatingSince = [] }: VitalFacts,
  records: readonly ShutdownRecord[],
  now: number,
): number {
  const present = records.filter(
    (record) => isDrain(record) && topology?.nodes.some((node) => node.id === record.nodeId) !== false,
  );
  const begun = [...present.map(({ startedAt }) => startedAt), ...terminatingSince];
  return Math.max(0, ...begun.map((startedAt) => (now - startedAt) / 1000));
}

const dayMs = 86_400_000;

/** The days until the first of a node's certificates ends, negative when one has; nothing where none is known. */
export function certificateDays(endsAt: readonly number[], now: number): Readonly<Record<string, number>> {
  if (endsAt.length === 0) return {};
  return { [metrics.certificateDays]: (Math.min(...endsAt) - now) / dayMs };
}

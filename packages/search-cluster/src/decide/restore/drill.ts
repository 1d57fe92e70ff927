import { drillPrefix, metrics } from '@drover/core/names/search-cluster';
import type { ClusterHealth } from '../../model/health.ts';
import type { DrillContent, DrillState } from '../../model/recovery.ts';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import type { SnapshotContent } from '../../model/snapshot.ts';
import type { NodeDisk } from '../../model/topology.ts';

const dayMs = 86_400_000;
/** At Elasticsearch's 40 MiB/s two minutes: shorter than a drain waits for a yellow cluster. */
const largestBytes = 5 * 1024 ** 3;
const fullPercent = 70;
/** The name has to fit behind the prefix into 255 bytes. */
const longestName = 200;

/** Whether a drill is due: a failed one is repeated the next day. */
export function drillIsDue(state: DrillState, everyDays: number, now: number): boolean {
  const { since, okAt = since, failedAt = 0 } = state;
  return now >= (failedAt > okAt ? failedAt + dayMs : okAt + everyDays * dayMs);
}

/** Metrics that the alarms watch: the age is that of the last success, or of the cluster while there is none. */
export const drillMetrics = (
  { since, okAt, failedAt = 0 }: DrillState,
  now: number,
): Readonly<Record<string, number>> => ({
  [metrics.drillAge]: Math.max(0, now - (okAt ?? since)) / 1000,
  [metrics.drillFailed]: failedAt > (okAt ?? 0) ? 1 : 0,
});

export interface DrillFacts {
  readonly state: DrillState;
  readonly health: ClusterHealth;
  readonly records: readonly ShutdownRecord[];
  readonly disks: readonly NodeDisk[];
  /** Of the repository, the newest first. */
  readonly snapshots: readonly SnapshotContent[];
  /** Documents of the cluster's indices. */
  readonly documents: ReadonlyMap<string, number>;
}

export type DrillChoice =
  | { readonly kind: 'postponed'; readonly because: string }
  | { readonly kind: 'restore'; readonly snapshot: SnapshotContent; readonly candidates: readonly string[] };

/** From which snapshot which indices may be restored, in the order of preference. Nothing is done while nodes come or go. */
export function chooseDrill(facts: DrillFacts): DrillChoice {
  const { health, records, disks, state } = facts;
  const full = disks.filter(({ totalBytes, availableBytes }) => usedPercent(totalBytes, availableBytes) > fullPercent);
  if (health.status !== 'green') return postponed(`the cluster is ${health.status}`);
  if (records.length > 0) return postponed('a node is being drained or restarted');
  if (full.length > 0) return postponed(`a disk is more than ${fullPercent} % full`);
  const snapshot = facts.snapshots.find(({ state: end }) => end === 'SUCCESS');
  if (snapshot === undefined) return postponed('there is no successful snapshot');
  const system = new Set(snapshot.featureStates.flatMap(({ indices }) => indices));
  const named = snapshot.indices.filter(
    (index) =>
      !system.has(index) &&
      !index.startsWith(drillPrefix) &&
      index.length <= longestName &&
      (facts.documents.get(index) ?? 0) > 0,
  );
  if (named.length === 0) return postponed(`snapshot ${snapshot.name} holds no index with documents of this cluster`);
  // Another one each time.
  const first = state.runs % named.length;
  const sorted = [...named].sort();
  return { kind: 'restore', snapshot, candidates: [...sorted.slice(first), ...sorted.slice(0, first)] };
}

const postponed = (because: string): DrillChoice => ({ kind: 'postponed', because });
const usedPercent = (total: number, available: number) => (total === 0 ? 0 : (100 * (total - available)) / total);

/** How large an index may be: a fraction of what the fullest disk has left. */
export function drillLimitBytes(disks: readonly NodeDisk[]): number {
  const free = disks.filter(({ totalBytes }) => totalBytes > 0).map(({ availableBytes }) => availableBytes);
  return free.length === 0 ? 0 : Math.min(largestBytes, Math.min(...free) / 10);
}

/** Why the restored index is not what the snapshot promised; undefined when it is. */
export function judgeDrill(live: DrillContent | undefined, restored: DrillContent): string | undefined {
  if (restored.documents === 0) return 'the restored index holds no document';
  // Nothing was written since the snapshot: then both are the same.
  if (live === undefined || live.operations !== restored.operations || live.documents === restored.documents)
    return undefined;
  return `the restored index holds ${restored.documents} documents and the live one ${live.documents}, with the same operations`;
}

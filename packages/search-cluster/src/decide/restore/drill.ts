import { metrics } from '@drover/core/names/search-cluster';
import type { ClusterHealth } from '../../model/health.ts';
import type { DrillContent, DrillSize, DrillState } from '../../model/recovery.ts';
import { isDrillCopy } from '../../model/shard.ts';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import type { SnapshotContent } from '../../model/snapshot.ts';
import { isDataNode, type NodeDisk, type Topology, type Watermark } from '../../model/topology.ts';
import { gib, headroom } from '../drain/check-disk.ts';

const dayMs = 86_400_000;
/** A shard that was rolled over as Elastic advises, with some more: less than half an hour at 40 MiB/s. */
const preferredBytes = 64 * 1024 ** 3;
/** Of the room that a node has below the low watermark. The rest is for what is written meanwhile. */
const shareOfRoom = 0.5;
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
  const { state } = facts;
  const moves = unsettled(facts);
  if (moves !== undefined) return postponed(moves);
  const snapshot = facts.snapshots.find(({ state: end }) => end === 'SUCCESS');
  if (snapshot === undefined) return postponed('there is no successful snapshot');
  const system = new Set(snapshot.featureStates.flatMap(({ indices }) => indices));
  const named = snapshot.indices.filter(
    (index) =>
      !system.has(index) &&
      !isDrillCopy({ index }) &&
      index.length <= longestName &&
      (facts.documents.get(index) ?? 0) > 0,
  );
  if (named.length === 0) return postponed(`snapshot ${snapshot.name} holds no index with documents of this cluster`);
  // Another one each time.
  const first = state.runs % named.length;
  const sorted = [...named].sort();
  return { kind: 'restore', snapshot, candidates: [...sorted.slice(first), ...sorted.slice(0, first)] };
}

/** A drill gives way to it, also when it has begun. */
export const nodesComeOrGo = 'a node is being drained or restarted';

/** Why no drill begins now; and one that could not be restored then says nothing of the snapshot. */
export function unsettled({ health, records }: Pick<DrillFacts, 'health' | 'records'>): string | undefined {
  if (health.status !== 'green') return `the cluster is ${health.status}`;
  return records.length > 0 ? nodesComeOrGo : undefined;
}

const postponed = (because: string): { readonly kind: 'postponed'; readonly because: string } => ({
  kind: 'postponed',
  because,
});

export interface DrillRoom {
  readonly topology: Topology;
  readonly disks: readonly NodeDisk[];
  /** Undefined when disk-based allocation is off. */
  readonly lowWatermark: Watermark | undefined;
}

/**
 * The first candidate of a usual size for which there is room, or the smallest larger one. Room alone can keep a drill
 * from a cluster with large indices.
 */
export function chooseIndex(
  snapshot: string,
  candidates: readonly string[],
  sizes: ReadonlyMap<string, DrillSize>,
  room: DrillRoom,
): { readonly kind: 'index'; readonly index: string } | { readonly kind: 'postponed'; readonly because: string } {
  const rooms = roomsOf(room);
  const known = candidates.flatMap((index) => {
    const size = sizes.get(index);
    return size === undefined ? [] : [{ index, ...size }];
  });
  const bySize = [...known].sort((a, b) => a.bytes - b.bytes);
  const fitting = known.filter((one) => fits(one, rooms));
  const chosen = fitting.find(({ bytes }) => bytes <= preferredBytes) ?? bySize.find((one) => fitting.includes(one));
  if (chosen !== undefined) return { kind: 'index', index: chosen.index };
  const [smallest] = bySize;
  if (smallest === undefined) return postponed(`the sizes of the indices in snapshot ${snapshot} are not known`);
  const shards = smallest.shards === 1 ? '1 shard' : `${smallest.shards} shards`;
  return postponed(
    `no index of snapshot ${snapshot} has room: the smallest, ${smallest.index}, has ${gib(smallest.bytes)} in ${shards}, and half of what the data nodes have below the low disk watermark is ${gib(Math.max(0, ...rooms))} at most on one of them, ${gib(rooms.reduce((sum, one) => sum + one, 0))} on all`,
  );
}

const roomsOf = ({ topology, disks, lowWatermark }: DrillRoom): readonly number[] => {
  const dataNodes = new Set(topology.nodes.filter(isDataNode).map(({ id }) => id));
  return disks
    .filter(({ nodeId }) => dataNodes.has(nodeId))
    .map((disk) => shareOfRoom * (lowWatermark === undefined ? disk.availableBytes : headroom(disk, lowWatermark)));
};

/** Whether the nodes take all of its shards, which are taken to be alike. */
function fits({ bytes, shards }: DrillSize, rooms: readonly number[]): boolean {
  if (bytes === 0) return rooms.length > 0;
  const each = bytes / shards;
  return rooms.reduce((places, room) => places + Math.floor(room / each), 0) >= shards;
}

/** The note of a drill that waits: since when it does in a row, and for what now. */
export const postpone = (state: DrillState, because: string, now: number): DrillState => ({
  ...state,
  postponed: { since: state.postponed?.since ?? now, because },
});

/** Why the restored index is not what the snapshot promised; undefined when it is. */
export function judgeDrill(live: DrillContent | undefined, restored: DrillContent): string | undefined {
  if (restored.documents === 0) return 'the restored index holds no document';
  // Nothing was written since the snapshot: then both are the same.
  if (live === undefined || live.operations !== restored.operations || live.documents === restored.documents)
    return undefined;
  return `the restored index holds ${restored.documents} documents and the live one ${live.documents}, with the same operations`;
}

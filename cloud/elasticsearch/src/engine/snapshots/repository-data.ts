import type { ShardStore } from '../documents/shard-store.ts';
import type { DataStream } from '../state/data-stream.ts';
import type { ObjectStore } from './object-store.ts';
import type { GlobalState, SecurityContent } from './snapshot-state.ts';

/** One shard in a snapshot. */
export interface ShardSnapshot {
  readonly shard: number;
  /** Names the content; the same content in two snapshots has the same name. */
  readonly contentId: string;
  readonly totalBytes: number;
  readonly totalFiles: number;
  readonly incrementalBytes: number;
  readonly incrementalFiles: number;
  readonly startMs: number;
  readonly tookMs: number;
  readonly failure?: string;
}

export interface IndexSnapshot {
  readonly name: string;
  readonly uuid: string;
  /** Settings, mappings and aliases, as restoring needs them. */
  readonly settings: Readonly<Record<string, string | readonly string[]>>;
  readonly mappings: unknown;
  readonly mappingType: string;
  readonly aliases: readonly (readonly [string, unknown])[];
  readonly shards: readonly ShardSnapshot[];
}

export interface SnapshotFailure {
  readonly index: string;
  readonly indexUUID: string;
  readonly shard: number;
  readonly reason: string;
  readonly nodeId?: string;
}

/** A finished snapshot. */
export interface SnapshotInfo {
  readonly name: string;
  readonly uuid: string;
  readonly version: string;
  readonly state: 'SUCCESS' | 'PARTIAL' | 'FAILED' | 'IN_PROGRESS';
  readonly reason?: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly includeGlobalState: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly indices: readonly IndexSnapshot[];
  readonly failures: readonly SnapshotFailure[];
  readonly featureStates: readonly { readonly feature: string; readonly indices: readonly string[] }[];
  readonly dataStreams: readonly DataStream[];
  /** The part that a restore of the global state brings back. */
  readonly global?: GlobalState;
  /** The contents of the security index. */
  readonly security?: SecurityContent;
}

/** The contents of a repository, newest last. */
export interface RepositoryData {
  readonly generation: number;
  readonly snapshots: readonly SnapshotInfo[];
}

/**
 * The documents of snapshots. The repository's objects describe a snapshot and name its content; the content itself is
 * shared with the shards it came from and is kept here, so that a snapshot costs nothing however large the shard is.
 */
const contents = new Map<string, { readonly store: ShardStore; uses: number }>();

/** Puts content into the keeping of one snapshot. */
export const keepContent = (contentId: string, store: ShardStore) => contents.set(contentId, { store, uses: 0 });
export const contentOf = (contentId: string): ShardStore | undefined => contents.get(contentId)?.store;

const contentIds = ({ indices }: SnapshotInfo) =>
  indices.flatMap(({ shards }) =>
    shards.filter(({ failure }) => failure === undefined).map(({ contentId }) => contentId),
  );

/** A finished snapshot holds on to its content. */
export function useContents(snapshot: SnapshotInfo): void {
  for (const id of contentIds(snapshot)) {
    const content = contents.get(id);
    if (content !== undefined) content.uses += 1;
  }
}

/** Called when a snapshot was deleted; returns the content that no other snapshot needs. */
export function releaseContents(snapshot: SnapshotInfo): string[] {
  return contentIds(snapshot).filter((id) => {
    const content = contents.get(id);
    if (content === undefined) return true;
    content.uses -= 1;
    return content.uses <= 0 && contents.delete(id);
  });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The root of a repository: which snapshots there are. Each is described in an object of its own. */
interface RootBlob {
  readonly generation: number;
  readonly snapshots: readonly { readonly name: string; readonly uuid: string }[];
}

/** Reads what the repository holds; an empty place is an empty repository. What was read before is not read again. */
export async function readRepository(store: ObjectStore, cached: RepositoryData | undefined): Promise<RepositoryData> {
  const latest = await store.get('index.latest');
  if (latest === undefined) return { generation: -1, snapshots: [] };
  const generation = Number(decoder.decode(latest));
  if (cached?.generation === generation) return cached;
  const bytes = await store.get(`index-${generation}`);
  if (bytes === undefined) throw new Error(`could not read repository data from index blob [index-${generation}]`);
  const root = JSON.parse(decoder.decode(bytes)) as RootBlob;
  const known = new Map(cached?.snapshots.map((snapshot) => [snapshot.uuid, snapshot]));
  const snapshots: SnapshotInfo[] = [];
  for (const { uuid } of root.snapshots) snapshots.push(known.get(uuid) ?? (await readSnapshot(store, uuid)));
  return { generation, snapshots };
}

async function readSnapshot(store: ObjectStore, uuid: string): Promise<SnapshotInfo> {
  const bytes = await store.get(`snap-${uuid}.dat`);
  if (bytes === undefined) throw new Error(`snapshot is missing its description [snap-${uuid}.dat]`);
  return JSON.parse(decoder.decode(bytes)) as SnapshotInfo;
}

/** Writes a new generation and removes the one before it. */
export async function writeRepository(
  store: ObjectStore,
  before: RepositoryData,
  snapshots: readonly SnapshotInfo[],
): Promise<RepositoryData> {
  const generation = before.generation + 1;
  const root: RootBlob = { generation, snapshots: snapshots.map(({ name, uuid }) => ({ name, uuid })) };
  await store.put(`index-${generation}`, encoder.encode(JSON.stringify(root)));
  await store.put('index.latest', encoder.encode(String(generation)));
  if (before.generation >= 0) await store.delete([`index-${before.generation}`]);
  return { generation, snapshots };
}

/** The objects that belong to one snapshot alone. */
export const snapshotKeys = (snapshot: Pick<SnapshotInfo, 'uuid'>) => [
  `snap-${snapshot.uuid}.dat`,
  `meta-${snapshot.uuid}.dat`,
];

export async function writeSnapshotObjects(store: ObjectStore, snapshot: SnapshotInfo): Promise<void> {
  const [info, meta] = snapshotKeys(snapshot) as [string, string];
  await store.put(info, encoder.encode(JSON.stringify(snapshot)));
  await store.put(meta, encoder.encode(JSON.stringify(snapshot.global ?? {})));
  for (const index of snapshot.indices)
    for (const shard of index.shards)
      if (shard.failure === undefined && shard.incrementalFiles > 0)
        await store.put(shardKey(index.uuid, shard), encoder.encode(shardObject(shard)));
}

/** Whether the object of a shard is there, as it was written. */
export async function isIntact(store: ObjectStore, indexUUID: string, shard: ShardSnapshot): Promise<boolean> {
  const bytes = await store.get(shardKey(indexUUID, shard)).catch(() => undefined);
  return bytes !== undefined && decoder.decode(bytes) === shardObject(shard);
}

const shardObject = ({ contentId, totalBytes }: ShardSnapshot) =>
  JSON.stringify({ content: contentId, bytes: totalBytes });

export const shardKey = (indexUUID: string, { shard, contentId }: Pick<ShardSnapshot, 'shard' | 'contentId'>) =>
  `indices/${indexUUID}/${shard}/__${contentId}`;

/** Every shard that is not in a snapshot, with the reason. */
export function failuresOf(indices: readonly IndexSnapshot[]): SnapshotFailure[] {
  return indices.flatMap((index) =>
    index.shards.flatMap((shard) =>
      shard.failure === undefined
        ? []
        : [{ index: index.name, indexUUID: index.uuid, shard: shard.shard, reason: shard.failure }],
    ),
  );
}

/** The files of this shard in the newest snapshot that has it: the next one copies only new files. */
export function lastOf(data: RepositoryData, indexUUID: string, shard: number): ShardSnapshot | undefined {
  for (let at = data.snapshots.length - 1; at >= 0; at--) {
    const index = data.snapshots[at]!.indices.find(({ uuid }) => uuid === indexUUID);
    const found = index?.shards.find((candidate) => candidate.shard === shard && candidate.failure === undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

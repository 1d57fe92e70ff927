import type { Document } from '@drover/formats';
import type { AllocationService } from '../allocation/allocation-service.ts';
import { RoutingNodes } from '../allocation/routing-nodes.ts';
import type { FormedCluster } from '../coordination/formed-cluster.ts';
import type { SettingValue } from '../coordination/settings.ts';
import type { ShardStore } from '../documents/shard-store.ts';
import { emptyShards, placeIndex } from '../indices/create-index.ts';
import { featureOf } from '../indices/features.ts';
import { refuseIndexName } from '../indices/index-name.ts';
import { refuseTwoWriters } from '../indices/read-aliases.ts';
import type { ClusterState, RepositoryMetadata } from '../state/cluster-state.ts';
import { withDataStream, withoutIndex } from '../state/data-stream.ts';
import type { AliasMetadata, IndexMetadata } from '../state/index-metadata.ts';
import { isActive, type ShardRouting } from '../state/shard.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';
import { parseBytes } from '../values/units.ts';
import type { ChosenRestore } from './choose-restore.ts';
import type { Repositories } from './repositories.ts';
import { contentOf, type IndexSnapshot, isIntact, type SnapshotInfo } from './repository-data.ts';
import { snapshotError } from './snapshot-service.ts';
import { restoreGlobal, restoreSecurity } from './snapshot-state.ts';

export interface RestoreRequest {
  readonly repository: RepositoryMetadata;
  readonly snapshot: SnapshotInfo;
  readonly chosen: ChosenRestore;
  readonly partial: boolean;
  readonly includeGlobalState: boolean;
  readonly includeAliases: boolean;
  readonly indexSettings: Readonly<Record<string, SettingValue | null>>;
  readonly ignoreSettings: readonly string[];
}

/** A restore that has been accepted. */
export interface RunningRestore {
  readonly uuid: string;
  readonly snapshot: SnapshotInfo;
  readonly repository: string;
  readonly indices: readonly string[];
  readonly shards: number;
  /** Shards whose objects are not as they were written, as `index/shard` of the snapshot. */
  readonly damaged: ReadonlySet<string>;
}

/** The part of the master that restoring needs. */
export interface RestoreSources {
  readonly core: FormedCluster;
  readonly allocation: AllocationService;
  readonly repositories: Repositories;
}

/** Settings that a restore may neither change nor leave out. */
const fixedSettings = [
  'index.number_of_shards',
  'index.version.created',
  'index.uuid',
  'index.creation_date',
  'index.history.uuid',
];

/** Settings that a restore may change, but not leave out. */
const keptSettings = ['index.number_of_replicas', 'index.auto_expand_replicas'];

/** Brings indices back from snapshots; the shards then recover from the repository. */
export class RestoreService {
  #services: RestoreSources;
  #running = new Map<string, RunningRestore>();

  constructor(services: RestoreSources) {
    this.#services = services;
  }

  /** Snapshots that are being restored, with the restore's id. */
  inUse(): ReadonlyMap<string, string> {
    this.#forgetFinished();
    return new Map([...this.#running.values()].map(({ snapshot, uuid }) => [snapshot.uuid, uuid]));
  }

  /** The content that a shard recovers from, and how fast. */
  storeFor(shard: ShardRouting): { store: ShardStore; bytesPerSecond: number } | undefined {
    const source = shard.recoverySource;
    if (source?.type !== 'SNAPSHOT') return undefined;
    const restore = this.#running.get(source.restoreUUID);
    if (restore?.damaged.has(`${source.index}/${shard.shard}`) === true) return undefined;
    const index = restore?.snapshot.indices.find(({ name }) => name === source.index);
    const found = index?.shards.find((candidate) => candidate.shard === shard.shard && candidate.failure === undefined);
    const store = found === undefined ? undefined : contentOf(found.contentId);
    if (store === undefined) return undefined;
    const limit = this.#services.core.state.repositories.get(source.repository)?.settings.max_restore_bytes_per_sec;
    const bytesPerSecond = limit === undefined ? undefined : parseBytes(limit);
    return {
      store,
      bytesPerSecond: bytesPerSecond === undefined || bytesPerSecond <= 0 ? Number.POSITIVE_INFINITY : bytesPerSecond,
    };
  }

  async start(request: RestoreRequest): Promise<RunningRestore> {
    const { core, allocation } = this.#services;
    const uuid = core.newId();
    const { indices, dataStreams, features } = request.chosen;
    const damaged = await this.#damaged(request);
    const ofFeatures = [...core.state.indices.values()].filter(({ name }) => features.includes(featureOf(name) ?? ''));
    const kept = ofFeatures.reduce((state, index) => withoutIndex(state, index, core.engine.clock.now()), core.state);
    this.#refuseSnapshot(request);
    for (const { index, name } of indices) this.#refuse(request, index, name, kept);
    const restore: RunningRestore = {
      uuid,
      snapshot: request.snapshot,
      repository: request.repository.name,
      indices: indices.map(({ name }) => name),
      shards: indices.reduce((count, { index }) => count + index.shards.length, 0),
      damaged,
    };
    this.#running.set(uuid, restore);
    core.update((state) => {
      const { global, security } = request.snapshot;
      const emptied = ofFeatures.reduce((now, index) => withoutIndex(now, index, core.engine.clock.now()), state);
      const replaced = request.includeGlobalState && global !== undefined ? restoreGlobal(emptied, global) : emptied;
      const secured =
        security !== undefined && features.includes('security') ? restoreSecurity(replaced, security) : replaced;
      const placed = indices.reduce((now, { index, name }) => this.#place(now, request, index, name, uuid), secured);
      refuseTwoWriters(placed, new Set(indices.flatMap(({ name }) => [...placed.indices.get(name)!.aliases.keys()])));
      return allocation.reroute(dataStreams.reduce(withDataStream, placed));
    });
    return restore;
  }

  /** A file that is missing or damaged is found when it is read. */
  async #damaged({ repository, chosen }: RestoreRequest): Promise<ReadonlySet<string>> {
    const store = this.#services.repositories.masterStore(repository);
    const damaged = new Set<string>();
    for (const { index } of chosen.indices)
      for (const shard of index.shards)
        if (shard.failure === undefined && !(await isIntact(store, index.uuid, shard)))
          damaged.add(`${index.name}/${shard.shard}`);
    return damaged;
  }

  #refuseSnapshot({ repository, snapshot, includeGlobalState }: RestoreRequest): void {
    const refuse = (why: string) =>
      snapshotError('snapshot_restore_exception', `[${repository.name}:${snapshot.name}/${snapshot.uuid}] ${why}`);
    if (snapshot.state !== 'SUCCESS' && snapshot.state !== 'PARTIAL')
      throw refuse(`unsupported snapshot state [${snapshot.state}]`);
    if (includeGlobalState && !snapshot.includeGlobalState)
      throw refuse('cannot restore global state since the snapshot was created without global state');
  }

  /** Resolves when no primary of the restored indices is on its way any more, with how many shards made it. */
  async wait(restore: RunningRestore): Promise<{ successful: number; failed: number }> {
    const { core } = this.#services;
    const open = () =>
      this.#primaries(restore).filter(
        (shard) => !isActive(shard) && (shard.unassignedInfo?.failedAllocations ?? 0) === 0,
      );
    await core.waitUntil(() => open().length === 0, -1);
    const successful = this.#primaries(restore).filter(isActive).length;
    this.#forgetFinished();
    return { successful, failed: restore.shards - successful };
  }

  #primaries(restore: RunningRestore): ShardRouting[] {
    const { state } = this.#services.core;
    return restore.indices.flatMap((name) =>
      (state.routing.get(name) ?? []).flatMap((copies) => copies.filter((copy) => copy.primary)),
    );
  }

  #forgetFinished(): void {
    const busy = new Set<string>();
    for (const shard of new RoutingNodes(this.#services.core.state, () => '').all())
      if (shard.recoverySource?.type === 'SNAPSHOT') busy.add(shard.recoverySource.restoreUUID);
    for (const uuid of this.#running.keys()) if (!busy.has(uuid)) this.#running.delete(uuid);
  }

  #refuse(request: RestoreRequest, index: IndexSnapshot, name: string, state: ClusterState): void {
    const { repository, snapshot } = request;
    const refuse = (why: string) =>
      snapshotError('snapshot_restore_exception', `[${repository.name}:${snapshot.name}/${snapshot.uuid}] ${why}`);
    const badName = refuseIndexName(name);
    if (badName !== undefined) throw badName;
    if (!request.partial && index.shards.some(({ failure }) => failure !== undefined))
      throw refuse(`index [${index.name}] wasn't fully snapshotted - cannot restore`);
    const changed = Object.keys(request.indexSettings).find((key) => fixedSettings.includes(key));
    if (changed !== undefined) throw refuse(`cannot modify setting [${changed}] on restore`);
    const removed = request.ignoreSettings.find((key) => [...fixedSettings, ...keptSettings].includes(key));
    if (removed !== undefined) throw refuse(`cannot remove setting [${removed}] on restore`);
    const existing = state.indices.get(name);
    if (existing === undefined) return;
    if (existing.state === 'open')
      throw refuse(
        `cannot restore index [${name}] because an open index with same name already exists in the cluster. Either close or delete the existing index or restore the index under a different name by providing a rename pattern and replacement name`,
      );
    if (existing.inSync.length !== index.shards.length)
      throw refuse(
        `cannot restore index [${name}] with [${existing.inSync.length}] shards from a snapshot of index [${index.name}] with [${index.shards.length}] shards`,
      );
  }

  #place(
    state: ClusterState,
    request: RestoreRequest,
    index: IndexSnapshot,
    name: string,
    restoreUUID: string,
  ): ClusterState {
    const existing = state.indices.get(name);
    const restored = this.#metadata(request, index, name, existing);
    const source = {
      type: 'SNAPSHOT' as const,
      repository: request.repository.name,
      snapshot: request.snapshot.name,
      snapshotUUID: request.snapshot.uuid,
      index: index.name,
      restoreUUID,
      version: request.snapshot.version,
    };
    const reason = existing === undefined ? 'NEW_INDEX_RESTORED' : 'EXISTING_INDEX_RESTORED';
    return placeIndex(state, restored, reason, () => source, this.#services.core.engine.clock.now());
  }

  #metadata(
    request: RestoreRequest,
    index: IndexSnapshot,
    name: string,
    existing: IndexMetadata | undefined,
  ): IndexMetadata {
    const uuid = existing?.uuid ?? this.#services.core.newId();
    const kept = Object.entries(index.settings).filter(
      ([key]) => !request.ignoreSettings.some((pattern) => wildcardToRegExp(pattern).test(key)),
    );
    const given = Object.entries(request.indexSettings).filter(([, value]) => value !== null) as [
      string,
      SettingValue,
    ][];
    return {
      name,
      uuid,
      state: 'open',
      settings: { ...Object.fromEntries(kept), ...Object.fromEntries(given), 'index.uuid': uuid },
      mappings: index.mappings as Document,
      mappingType: index.mappingType,
      aliases: request.includeAliases ? new Map(index.aliases as readonly [string, AliasMetadata][]) : new Map(),
      ...emptyShards(index.shards.length),
      version: (existing?.version ?? 0) + 1,
      mappingVersion: 1,
      settingsVersion: 1,
      aliasesVersion: 1,
      ...(featureOf(name) === undefined ? {} : { system: true }),
    };
  }
}

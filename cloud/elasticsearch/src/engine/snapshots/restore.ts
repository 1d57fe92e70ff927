import type { Document } from '@drover/formats';
import type { AllocationService } from '../allocation/allocation-service.ts';
import { RoutingNodes } from '../allocation/routing-nodes.ts';
import type { FormedCluster } from '../coordination/formed-cluster.ts';
import type { SettingValue } from '../coordination/settings.ts';
import type { ShardStore } from '../documents/shard-store.ts';
import { emptyShards, placeIndex } from '../indices/create-index.ts';
import { refuseIndexName } from '../indices/index-name.ts';
import type { ClusterState, RepositoryMetadata, Template } from '../state/cluster-state.ts';
import type { AliasMetadata, IndexMetadata } from '../state/index-metadata.ts';
import { isActive, type ShardRouting } from '../state/shard.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';
import { parseBytes } from '../values/units.ts';
import { contentOf, type IndexSnapshot, type SnapshotInfo } from './repository-data.ts';
import { snapshotError } from './snapshot-service.ts';

export interface RestoreRequest {
  readonly repository: RepositoryMetadata;
  readonly snapshot: SnapshotInfo;
  readonly indices: readonly IndexSnapshot[];
  readonly renamePattern?: string;
  readonly renameReplacement?: string;
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
}

/** What restoring needs of the master. */
export interface RestoreSources {
  readonly core: FormedCluster;
  readonly allocation: AllocationService;
}

/** Settings that a restore may neither change nor leave out. */
const fixedSettings = [
  'index.number_of_shards',
  'index.version.created',
  'index.uuid',
  'index.creation_date',
  'index.history.uuid',
];

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

  start(request: RestoreRequest): RunningRestore {
    const { core, allocation } = this.#services;
    const uuid = core.newId();
    const names = this.#rename(request);
    for (const index of request.indices) this.#refuse(request, index, names.get(index.name)!);
    const restore: RunningRestore = {
      uuid,
      snapshot: request.snapshot,
      repository: request.repository.name,
      indices: [...names.values()],
      shards: request.indices.reduce((count, { shards }) => count + shards.length, 0),
    };
    this.#running.set(uuid, restore);
    core.update((state) => {
      const global = request.includeGlobalState ? withGlobalState(state, request.snapshot) : state;
      return allocation.reroute(
        request.indices.reduce((now, index) => this.#place(now, request, index, names.get(index.name)!, uuid), global),
      );
    });
    return restore;
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

  #rename(request: RestoreRequest): Map<string, string> {
    const names = new Map<string, string>();
    const taken = new Map<string, string>();
    for (const { name } of request.indices) {
      const renamed =
        request.renamePattern === undefined || request.renameReplacement === undefined
          ? name
          : name.replace(new RegExp(request.renamePattern, 'g'), request.renameReplacement);
      const other = taken.get(renamed);
      if (other !== undefined)
        throw snapshotError(
          'snapshot_restore_exception',
          `[${request.repository.name}:${request.snapshot.name}] indices [${name}] and [${other}] are renamed into the same index [${renamed}]`,
        );
      taken.set(renamed, name);
      names.set(name, renamed);
    }
    return names;
  }

  #refuse(request: RestoreRequest, index: IndexSnapshot, name: string): void {
    const { repository, snapshot } = request;
    const refuse = (why: string) =>
      snapshotError('snapshot_restore_exception', `[${repository.name}:${snapshot.name}/${snapshot.uuid}] ${why}`);
    const badName = refuseIndexName(name);
    if (badName !== undefined) throw badName;
    if (!request.partial && index.shards.some(({ failure }) => failure !== undefined))
      throw refuse(`index [${index.name}] wasn't fully snapshotted - cannot restore`);
    const changed = Object.keys(request.indexSettings).find((key) => fixedSettings.includes(key));
    if (changed !== undefined) throw refuse(`cannot modify setting [${changed}] on restore`);
    const removed = request.ignoreSettings.find((key) => fixedSettings.includes(key));
    if (removed !== undefined) throw refuse(`cannot remove setting [${removed}] on restore`);
    const existing = this.#services.core.state.indices.get(name);
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
    };
  }
}

/** Persistent settings and templates of the snapshot replace the cluster's. */
function withGlobalState(state: ClusterState, snapshot: SnapshotInfo): ClusterState {
  if (snapshot.global === undefined) return state;
  const templates = new Map(snapshot.global.templates as readonly (readonly [string, Template])[]);
  return {
    ...state,
    persistent: snapshot.global.persistent as ClusterState['persistent'],
    indexTemplates: new Map([...state.indexTemplates, ...templates]),
  };
}

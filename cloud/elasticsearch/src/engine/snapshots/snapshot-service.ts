import type { AllocationService } from '../allocation/allocation-service.ts';
import { referencePage } from '../allocation/decision.ts';
import type { FormedCluster } from '../coordination/formed-cluster.ts';
import type { ShardCopy } from '../coordination/search-node.ts';
import { ElasticsearchError } from '../errors.ts';
import { featureOf } from '../indices/features.ts';
import type { RepositoryMetadata } from '../state/cluster-state.ts';
import type { DataStream } from '../state/data-stream.ts';
import { type IndexMetadata, numberOfShards } from '../state/index-metadata.ts';
import type { ShardRouting } from '../state/shard.ts';
import { isActive } from '../state/shard.ts';
import { parseBytes } from '../values/units.ts';
import type { Repositories } from './repositories.ts';
import { messageOf } from './repositories.ts';
import {
  contentOf,
  failuresOf,
  type IndexSnapshot,
  keepContent,
  lastOf,
  type RepositoryData,
  releaseContents,
  type ShardSnapshot,
  type SnapshotInfo,
  shardKey,
  snapshotKeys,
  useContents,
  writeRepository,
  writeSnapshotObjects,
} from './repository-data.ts';
import { captureGlobal, captureSecurity } from './snapshot-state.ts';

/** A snapshot takes at least as long as its bookkeeping, as measured on a real server. */
const leastMs = 200;

export interface SnapshotRequest {
  readonly repository: RepositoryMetadata;
  readonly name: string;
  readonly indices: readonly IndexMetadata[];
  readonly partial: boolean;
  readonly includeGlobalState: boolean;
  /** Data streams that are captured as a whole, and features with all of their indices. */
  readonly dataStreams: readonly DataStream[];
  readonly features: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A snapshot that is being taken. */
export interface RunningSnapshot {
  readonly repository: string;
  readonly info: SnapshotInfo;
  readonly partial: boolean;
  readonly endsAtMs: number;
  readonly abort: AbortController;
  readonly finished: Promise<SnapshotInfo>;
}

/** The part of the master that taking snapshots needs. */
export interface SnapshotSources {
  readonly core: FormedCluster;
  readonly allocation: AllocationService;
  readonly options: { readonly version: string };
  primaryCopy(shard: Pick<ShardRouting, 'index' | 'shard'>): ShardCopy | undefined;
}

export const snapshotError = (type: string, reason: string) => new ElasticsearchError({ type, reason });

/** Takes and deletes snapshots, one change of a repository at a time. */
export class SnapshotService {
  #services: SnapshotSources;
  #repositories: Repositories;
  #running = new Set<RunningSnapshot>();
  #queues = new Map<string, Promise<unknown>>();
  #restoring: () => ReadonlyMap<string, string>;

  constructor(services: SnapshotSources, repositories: Repositories, restoring: () => ReadonlyMap<string, string>) {
    this.#services = services;
    this.#repositories = repositories;
    this.#restoring = restoring;
  }

  get running(): readonly RunningSnapshot[] {
    return [...this.#running];
  }

  /** Shards whose primaries must not move now, as `index/shard`. */
  snapshotting(): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const { info } of this.#running)
      for (const index of info.indices)
        for (const { shard, failure } of index.shards) if (failure === undefined) keys.add(`${index.name}/${shard}`);
    return keys;
  }

  isRunning(repository: string): boolean {
    return this.running.some((running) => running.repository === repository);
  }

  async create(request: SnapshotRequest): Promise<RunningSnapshot> {
    const { repository, name } = request;
    if (repository.settings.readonly === 'true')
      throw snapshotError(
        'illegal_argument_exception',
        `[${repository.name}] cannot create snapshot in a readonly repository`,
      );
    const data = await this.#repositories.data(repository).catch((error: unknown) => {
      throw snapshotError('repository_exception', `[${repository.name}] ${messageOf(error)}`);
    });
    this.#refuseName(repository.name, name, data);
    const uuid = this.#services.core.newId();
    this.#refuseUnassigned(request, uuid);
    const info = this.#begin(request, uuid, data);
    const endsAtMs = info.startMs + durationMs(info, repository);
    const running: RunningSnapshot = {
      repository: repository.name,
      info,
      partial: request.partial,
      endsAtMs,
      abort: new AbortController(),
      finished: Promise.resolve(info),
    };
    this.#running.add(running);
    const finished = this.#finishLater(request, running);
    finished.catch(() => {});
    Object.assign(running, { finished });
    return running;
  }

  #refuseName(repository: string, name: string, data: RepositoryData): void {
    const used = (why: string) =>
      snapshotError(
        'snapshot_name_already_in_use_exception',
        `[${repository}:${name}] Invalid snapshot name [${name}], ${why}`,
      );
    if (data.snapshots.some((snapshot) => snapshot.name === name))
      throw used('snapshot with the same name already exists');
    if (this.running.some((running) => running.repository === repository && running.info.name === name))
      throw used('snapshot with the same name is already in-progress');
  }

  #refuseUnassigned({ repository, name, indices, partial }: SnapshotRequest, uuid: string): void {
    if (partial) return;
    const missing = indices.filter((index) => this.#failedShards(index).length > 0).map((index) => index.name);
    if (missing.length === 0) return;
    const page = referencePage(this.#services.options.version, 'red-yellow-cluster-status.html');
    throw snapshotError(
      'snapshot_exception',
      `[${repository.name}:${name}/${uuid}] the following indices have unassigned primary shards and cannot be included in a snapshot unless [partial] is set to [true]: [${missing.join(', ')}]; for help with troubleshooting unassigned shards see ${page}\n`,
    );
  }

  #failedShards(index: IndexMetadata): number[] {
    const shards = this.#services.core.state.routing.get(index.name) ?? [];
    return shards.flatMap((copies, shard) => (copies.some((copy) => copy.primary && isActive(copy)) ? [] : [shard]));
  }

  /** Takes hold of every shard's content as it is now. */
  #begin(request: SnapshotRequest, uuid: string, data: RepositoryData): SnapshotInfo {
    const { core, options } = this.#services;
    const now = core.engine.clock.now();
    const indices = request.indices.map((index) => this.#captureIndex(index, data, now));
    return {
      name: request.name,
      uuid,
      version: options.version,
      state: 'IN_PROGRESS',
      startMs: now,
      endMs: 0,
      includeGlobalState: request.includeGlobalState,
      ...(request.metadata === undefined ? {} : { metadata: request.metadata }),
      indices,
      failures: failuresOf(indices),
      featureStates: request.features.map((feature) => ({
        feature,
        indices: indices.filter(({ name }) => featureOf(name) === feature).map(({ name }) => name),
      })),
      dataStreams: request.dataStreams,
      ...(request.includeGlobalState ? { global: captureGlobal(core.state) } : {}),
      ...(request.features.includes('security') ? { security: captureSecurity(core.state) } : {}),
    };
  }

  #captureIndex(index: IndexMetadata, data: RepositoryData, now: number): IndexSnapshot {
    const shards = Array.from({ length: numberOfShards(index) }, (_, shard) =>
      this.#captureShard(index, shard, data, now),
    );
    return {
      name: index.name,
      uuid: index.uuid,
      settings: index.settings,
      mappings: index.mappings,
      mappingType: index.mappingType,
      aliases: [...index.aliases],
      shards,
    };
  }

  /** Only what changed since the last snapshot of the shard is copied; nothing, when it is the same. */
  #captureShard(index: IndexMetadata, shard: number, data: RepositoryData, now: number): ShardSnapshot {
    const live = this.#services.primaryCopy({ index: index.name, shard })?.store;
    const none = {
      shard,
      contentId: '',
      totalBytes: 0,
      totalFiles: 0,
      incrementalBytes: 0,
      incrementalFiles: 0,
      startMs: 0,
      tookMs: 0,
    };
    if (live === undefined) return { ...none, failure: 'primary shard is not allocated' };
    const last = lastOf(data, index.uuid, shard);
    const before = last === undefined ? undefined : contentOf(last.contentId);
    const totalFiles = live.count === 0 && live.deletedCount === 0 ? 1 : 4;
    const common = { shard, totalBytes: live.sizeBytes, totalFiles, startMs: now, tookMs: 0 };
    if (
      last !== undefined &&
      before !== undefined &&
      before.maxSeqNo === live.maxSeqNo &&
      before.sizeBytes === live.sizeBytes
    )
      return { ...common, contentId: last.contentId, incrementalBytes: 0, incrementalFiles: 0 };
    const contentId = this.#services.core.newId();
    keepContent(contentId, live.fork());
    const incrementalBytes =
      before === undefined
        ? live.sizeBytes
        : Math.min(live.sizeBytes, Math.max(1, live.writtenBytes - before.writtenBytes));
    return {
      ...common,
      contentId,
      incrementalBytes,
      incrementalFiles: before === undefined ? totalFiles : Math.min(3, totalFiles),
    };
  }

  async #finishLater(request: SnapshotRequest, running: RunningSnapshot): Promise<SnapshotInfo> {
    const { clock } = this.#services.core.engine;
    try {
      await clock.sleep(running.endsAtMs - clock.now(), running.abort.signal);
      await this.#waitForMaster();
      return await this.#inTurn(running.repository, () => this.#finalize(request, running));
    } finally {
      this.#running.delete(running);
      this.#services.allocation.snapshotEnded();
    }
  }

  /** A snapshot outlives its master: the next one finishes it. */
  async #waitForMaster(): Promise<void> {
    const { core } = this.#services;
    while (!core.canCommit) await core.engine.clock.sleep(1000);
  }

  async #finalize({ repository }: SnapshotRequest, running: RunningSnapshot): Promise<SnapshotInfo> {
    const indices = running.info.indices.map((index) => this.#checkIndex(index));
    const failures = failuresOf(indices);
    const total = indices.reduce((count, { shards }) => count + shards.length, 0);
    const state =
      failures.length === 0 ? 'SUCCESS' : failures.length === total || !running.partial ? 'FAILED' : 'PARTIAL';
    const info: SnapshotInfo = {
      ...running.info,
      indices,
      failures,
      state,
      ...(state === 'FAILED' ? { reason: "Indices don't have primary shards" } : {}),
      endMs: this.#services.core.engine.clock.now(),
    };
    try {
      const store = this.#repositories.masterStore(repository);
      const before = await this.#repositories.data(repository);
      await writeSnapshotObjects(store, info);
      useContents(info);
      this.#repositories.remember(repository, await writeRepository(store, before, [...before.snapshots, info]));
    } catch (error) {
      const cause = { type: 'i_o_exception', reason: messageOf(error) };
      throw new ElasticsearchError({
        type: 'snapshot_exception',
        reason: `[${repository.name}:${info.name}/${info.uuid}] failed to update snapshot in repository`,
        causedBy: cause,
      });
    }
    return info;
  }

  /** A shard whose index was deleted, or whose primary was lost meanwhile, has failed. */
  #checkIndex(index: IndexSnapshot): IndexSnapshot {
    const { state } = this.#services.core;
    if (state.indices.get(index.name)?.uuid !== index.uuid) return index;
    const lost = (shard: number) =>
      !(state.routing.get(index.name)?.[shard] ?? []).some((copy) => copy.primary && isActive(copy));
    return {
      ...index,
      shards: index.shards.map((shard) =>
        shard.failure === undefined && lost(shard.shard) ? { ...shard, failure: 'node shutdown' } : shard,
      ),
    };
  }

  /** Removes snapshots; one that is being taken is aborted. */
  async delete(repository: RepositoryMetadata, names: readonly string[]): Promise<void> {
    if (repository.settings.readonly === 'true')
      throw snapshotError('illegal_argument_exception', `[${repository.name}] repository is readonly`);
    for (const running of this.running)
      if (running.repository === repository.name && names.includes(running.info.name)) {
        this.#running.delete(running);
        running.abort.abort(
          snapshotError(
            'snapshot_exception',
            `[${running.repository}:${running.info.name}/${running.info.uuid}] aborted`,
          ),
        );
      }
    await this.#inTurn(repository.name, () => this.#remove(repository, names));
  }

  async #remove(repository: RepositoryMetadata, names: readonly string[]): Promise<void> {
    const before = await this.#repositories.data(repository);
    const gone = before.snapshots.filter((snapshot) => names.includes(snapshot.name));
    if (gone.length === 0) return;
    const inUse = gone.find((snapshot) => this.#restoring().has(snapshot.uuid));
    if (inUse !== undefined)
      throw snapshotError(
        'concurrent_snapshot_execution_exception',
        `[${repository.name}:${inUse.name}/${inUse.uuid}] cannot delete snapshot during a restore in progress in [RestoreInProgress[{${this.#restoring().get(inUse.uuid)}}{${repository.name}:${inUse.name}/${inUse.uuid}}]]`,
      );
    const store = this.#repositories.masterStore(repository);
    const after = await writeRepository(
      store,
      before,
      before.snapshots.filter((snapshot) => !gone.includes(snapshot)),
    );
    this.#repositories.remember(repository, after);
    const contents = new Set(gone.flatMap(releaseContents));
    const shardObjects = gone.flatMap(({ indices }) =>
      indices.flatMap((index) =>
        index.shards.filter(({ contentId }) => contents.has(contentId)).map((shard) => shardKey(index.uuid, shard)),
      ),
    );
    await store.delete([...new Set([...gone.flatMap(snapshotKeys), ...shardObjects])]);
  }

  /** Changes of one repository wait for each other. */
  async #inTurn<T>(repository: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#queues.get(repository) ?? Promise.resolve()).catch(() => {}).then(act);
    this.#queues.set(repository, turn);
    return await turn;
  }

  /** Refuses to delete or close indices that are being snapshotted. */
  refuseBusy(indices: readonly IndexMetadata[], what: 'delete' | 'close'): void {
    const busy = indices.filter((index) =>
      this.running.some(({ info }) => info.indices.some(({ uuid }) => uuid === index.uuid)),
    );
    if (busy.length === 0) return;
    const list = busy.map((index) => `[${index.name}/${index.uuid}]`).join(', ');
    throw snapshotError(
      'snapshot_in_progress_exception',
      `Cannot ${what} indices that are being snapshotted: [${list}]. Try again after snapshot finishes or cancel the currently running snapshot.`,
    );
  }
}

/** Each node copies at `max_snapshot_bytes_per_sec`; the shards are taken to be spread evenly. */
function durationMs(info: SnapshotInfo, repository: RepositoryMetadata): number {
  const perSecond = parseBytes(repository.settings.max_snapshot_bytes_per_sec ?? '40mb') ?? 40 * 1024 ** 2;
  const bytes = Math.max(
    0,
    ...info.indices.flatMap(({ shards }) => shards.map(({ incrementalBytes }) => incrementalBytes)),
  );
  const work = info.indices.some(({ shards }) => shards.length > 0) ? leastMs : 0;
  return Math.ceil(work + (perSecond > 0 ? (bytes * 1000) / perSecond : 0));
}

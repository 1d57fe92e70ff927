import type { Document } from '@drover/formats';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import type { IndexSnapshot, ShardSnapshot, SnapshotInfo } from '../../../engine/snapshots/repository-data.ts';
import type { RunningSnapshot } from '../../../engine/snapshots/snapshot-service.ts';
import { clockTime } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { catEndpoint, type Rows } from '../../cat/columns.ts';
import { bytes, millis } from '../../responses/human.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { selectRepositories } from './repositories.ts';
import { shardCounts } from './snapshot-body.ts';
import { snapshotMissing, snapshotsOf } from './snapshots.ts';

export const snapshotStatusRoutes: readonly Endpoint[] = [
  {
    api: 'snapshot.status',
    action: 'cluster:admin/snapshot/status',
    run: status,
  },
  catEndpoint('snapshots', { action: 'cluster:admin/snapshot/get' }, catSnapshots),
];

async function status(call: Call): Promise<Reply> {
  const services = await call.master();
  const name = call.text('repository');
  const names = call.list('snapshot');
  if (name === undefined || names.length === 0) {
    if (name !== undefined) services.repositories.find(name);
    const running = services.snapshots.running.filter((entry) => name === undefined || entry.repository === name);
    return {
      body: { snapshots: running.map((entry) => statusBody(call, services, entry.info, entry.repository, entry)) },
    };
  }
  const repository = services.repositories.find(name);
  const all = await snapshotsOf(services, repository);
  const found = names.flatMap((wanted) => {
    const snapshot = all.find((candidate) => candidate.name === wanted);
    if (snapshot === undefined && !call.flag('ignore_unavailable')) throw snapshotMissing(repository.name, wanted);
    return snapshot ?? [];
  });
  return {
    body: {
      snapshots: found.map((snapshot) =>
        statusBody(
          call,
          services,
          snapshot,
          repository.name,
          services.snapshots.running.find(({ info }) => info === snapshot),
        ),
      ),
    },
  };
}

function statusBody(
  call: Call,
  services: MasterServices,
  snapshot: SnapshotInfo,
  repository: string,
  running: RunningSnapshot | undefined,
): Document {
  const shards = snapshot.indices.flatMap((index) => index.shards);
  const took = (snapshot.endMs > 0 ? snapshot.endMs : call.now) - snapshot.startMs;
  const state = running === undefined ? (snapshot.state === 'PARTIAL' ? 'SUCCESS' : snapshot.state) : 'STARTED';
  return {
    snapshot: snapshot.name,
    repository,
    uuid: snapshot.uuid,
    state,
    include_global_state: snapshot.includeGlobalState,
    shards_stats: shardStats(shards, running),
    stats: stats(call, shards, snapshot.startMs, took, running),
    indices: Object.fromEntries(
      snapshot.indices.map((index) => [index.name, indexStatus(call, services, index, running)]),
    ),
  };
}

function shardStats(shards: readonly ShardSnapshot[], running: RunningSnapshot | undefined): Document {
  const failed = shards.filter(({ failure }) => failure !== undefined).length;
  const good = shards.length - failed;
  return {
    initializing: 0,
    started: running === undefined ? 0 : good,
    finalizing: 0,
    done: running === undefined ? good : 0,
    failed,
    total: shards.length,
  };
}

function stats(
  call: Call,
  shards: readonly ShardSnapshot[],
  startMs: number,
  tookMs: number,
  running: RunningSnapshot | undefined,
): Document {
  const sum = (value: (shard: ShardSnapshot) => number) => shards.reduce((total, shard) => total + value(shard), 0);
  const part = (files: number, size: number) => ({
    file_count: files,
    ...bytes(call.human, 'size', 'size_in_bytes', size),
  });
  const incremental = sum(({ incrementalBytes }) => incrementalBytes);
  const done =
    running === undefined
      ? 1
      : Math.min(1, (call.now - running.info.startMs) / Math.max(1, running.endsAtMs - running.info.startMs));
  return {
    incremental: part(
      sum(({ incrementalFiles }) => incrementalFiles),
      incremental,
    ),
    ...(running === undefined
      ? {}
      : {
          processed: part(
            Math.floor(sum(({ incrementalFiles }) => incrementalFiles) * done),
            Math.floor(incremental * done),
          ),
        }),
    total: part(
      sum(({ totalFiles }) => totalFiles),
      sum(({ totalBytes }) => totalBytes),
    ),
    start_time_in_millis: startMs,
    ...millis(call.human, 'time', 'time_in_millis', tookMs),
  };
}

function indexStatus(
  call: Call,
  services: MasterServices,
  index: IndexSnapshot,
  running: RunningSnapshot | undefined,
): Document {
  const startMs = index.shards.find(({ startMs: at }) => at > 0)?.startMs ?? 0;
  const stage = (shard: ShardSnapshot) =>
    shard.failure !== undefined ? 'FAILURE' : running === undefined ? 'DONE' : 'STARTED';
  const node = (shard: ShardSnapshot) =>
    running === undefined || shard.failure !== undefined
      ? {}
      : { node: primaryNode(services, index.name, shard.shard) };
  const shards = index.shards.map((shard) => [
    String(shard.shard),
    {
      stage: stage(shard),
      stats: stats(call, [shard], shard.startMs, shard.tookMs, running),
      ...node(shard),
      ...(shard.failure === undefined ? {} : { reason: shard.failure }),
    },
  ]);
  return {
    shards_stats: shardStats(index.shards, running),
    stats: stats(call, index.shards, startMs, 0, running),
    shards: Object.fromEntries(shards),
  };
}

const primaryNode = (services: MasterServices, index: string, shard: number) =>
  services.core.state.routing.get(index)?.[shard]?.find((copy) => copy.primary)?.node ?? null;

async function catSnapshots(call: Call): Promise<Rows> {
  const services = await call.master();
  const chosen = selectRepositories(services.core.state.repositories, call.list('repository'));
  const rows = [];
  for (const repository of chosen)
    for (const snapshot of await snapshotsOf(services, repository)) {
      const counts = shardCounts(snapshot);
      rows.push({
        id: snapshot.name,
        repository: repository.name,
        status: snapshot.state,
        start_epoch: Math.floor(snapshot.startMs / 1000),
        start_time: clockTime(snapshot.startMs),
        end_epoch: Math.floor(snapshot.endMs / 1000),
        end_time: clockTime(snapshot.endMs),
        duration: { ms: (snapshot.endMs > 0 ? snapshot.endMs : call.now) - snapshot.startMs },
        indices: snapshot.indices.length,
        successful_shards: counts.successful,
        failed_shards: counts.failed,
        total_shards: counts.total,
        reason: snapshot.reason,
      });
    }
  return rows;
}

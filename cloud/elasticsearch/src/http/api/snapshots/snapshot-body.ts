import type { Document, Value } from '@drover/formats';
import type { SnapshotInfo } from '../../../engine/snapshots/repository-data.ts';
import { atLeast, indexVersionId, indexVersionText, versionId } from '../../../engine/state/versions.ts';
import { formatTime, isoTime } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';

/** A snapshot as the get API shows it; `verbose=false` shows less. */
export function snapshotBody(call: Call, snapshot: SnapshotInfo, repository: string): Document {
  const head = {
    snapshot: snapshot.name,
    uuid: snapshot.uuid,
    ...(call.atLeast('7.12.0') ? { repository } : {}),
  };
  const indices = snapshot.indices.map(({ name }) => name);
  const streams = snapshot.dataStreams.map(({ name }) => name);
  if (!call.flag('verbose', true)) return { ...head, indices, data_streams: streams, state: snapshot.state };
  return {
    ...head,
    ...versionBody(snapshot.version),
    indices,
    data_streams: streams,
    include_global_state: snapshot.includeGlobalState,
    ...(call.flag('index_details') ? { index_details: indexDetails(snapshot) } : {}),
    ...(snapshot.metadata === undefined ? {} : { metadata: snapshot.metadata as Document }),
    state: snapshot.state,
    ...(snapshot.reason === undefined ? {} : { reason: snapshot.reason }),
    start_time: isoTime(snapshot.startMs),
    start_time_in_millis: snapshot.startMs,
    end_time: isoTime(snapshot.endMs),
    end_time_in_millis: snapshot.endMs,
    ...(call.human ? { duration: formatTime(duration(snapshot)) } : {}),
    duration_in_millis: duration(snapshot),
    failures: snapshot.failures.map((failure) => ({
      index: failure.index,
      index_uuid: failure.indexUUID,
      shard_id: failure.shard,
      reason: failure.reason,
      ...(failure.nodeId === undefined ? {} : { node_id: failure.nodeId }),
      status: 'INTERNAL_SERVER_ERROR',
    })),
    shards: shardCounts(snapshot),
    ...(call.atLeast('7.12.0')
      ? {
          feature_states: snapshot.featureStates.map(({ feature, indices: names }) => ({
            feature_name: feature,
            indices: names,
          })) as Value,
        }
      : {}),
  };
}

/** Size of each index in the snapshot, which the snapshot's own object knows. */
const indexDetails = ({ indices }: SnapshotInfo): Document =>
  Object.fromEntries(
    indices.map(({ name, shards }) => [
      name,
      {
        shard_count: shards.length,
        size_in_bytes: shards.reduce((total, { totalBytes }) => total + totalBytes, 0),
        max_segments_per_shard: Math.max(0, ...shards.map(({ totalFiles }) => (totalFiles > 1 ? 1 : 0))),
      },
    ]),
  );

const duration = ({ startMs, endMs }: SnapshotInfo) => Math.max(0, endMs - startMs);

function versionBody(version: string): Document {
  if (atLeast(version, '8.11.0')) return { version_id: indexVersionId(version), version: indexVersionText(version) };
  return { version_id: versionId(version), version };
}

export function shardCounts(snapshot: SnapshotInfo): { total: number; failed: number; successful: number } {
  const total = snapshot.indices.reduce((count, { shards }) => count + shards.length, 0);
  const failed = snapshot.failures.length;
  return { total, failed, successful: snapshot.state === 'IN_PROGRESS' ? 0 : total - failed };
}

import type {
  RestoreProgress,
  SnapshotFacts,
  SnapshotRestorer,
  SnapshotState,
  Snapshots,
} from '@drover/search-cluster';
import type { SearchClient } from './client/client.ts';
import { asList, asNumber, asObject, asOneOf, asText, type Doc } from './reading.ts';

const states: readonly SnapshotState[] = ['IN_PROGRESS', 'SUCCESS', 'PARTIAL', 'FAILED', 'INCOMPATIBLE'];
export const snapshotPath = (repository: string, snapshot: string): string =>
  `/_snapshot/${encodeURIComponent(repository)}/${encodeURIComponent(snapshot)}`;

/** Snapshots in a repository. */
export const snapshotStore = (client: SearchClient): Snapshots => ({
  start: async (repository, snapshot) => {
    const body = JSON.stringify({ include_global_state: true });
    await client.json({ method: 'PUT', path: `${snapshotPath(repository, snapshot)}?wait_for_completion=false`, body });
  },
  get: async (repository, snapshot) => {
    const answer = asObject(
      await client.json({ method: 'GET', path: snapshotPath(repository, snapshot) }),
      'snapshots',
    );
    return readSnapshot(asObject(asList(answer.snapshots, 'snapshots')[0], 'snapshot'));
  },
});

function readSnapshot(doc: Doc): SnapshotFacts {
  return {
    name: asText(doc.snapshot, 'snapshot'),
    state: asOneOf(doc.state, states, 'state'),
    indices: asList(doc.indices ?? [], 'indices').map((index) => asText(index, 'index')),
    failures: asList(doc.failures ?? [], 'failures').map((failure) => {
      const { index, shard_id, reason } = asObject(failure, 'failure');
      return `shard ${String(shard_id)} of ${String(index)}: ${String(reason)}`;
    }),
  };
}

/** Restores indices from snapshots. */
export const snapshotRestorer = (client: SearchClient): SnapshotRestorer => ({
  restore: async (repository, snapshot, plan) => {
    const rename =
      plan.renamePrefix === undefined ? {} : { rename_pattern: '(.+)', rename_replacement: `${plan.renamePrefix}$1` };
    const body = JSON.stringify({ indices: plan.indices.join(','), include_global_state: false, ...rename });
    const path = `${snapshotPath(repository, snapshot)}/_restore?wait_for_completion=false`;
    await client.json({ method: 'POST', path, body });
  },
  openIndices: async () => {
    const path = '/_cat/indices?format=json&expand_wildcards=open,hidden&h=index';
    const rows = asList(await client.json({ method: 'GET', path }), 'indices');
    return rows.map((row) => asText(asObject(row, 'index').index, 'index'));
  },
  progress: async (indices) => {
    const names = indices.map(encodeURIComponent).join(',');
    const shards = await client.json({
      method: 'GET',
      path: `/_cat/shards/${names}?format=json&h=index,shard,prirep,state`,
    });
    const recovery = asObject(await client.json({ method: 'GET', path: `/${names}/_recovery` }), 'recoveries');
    return readProgress(asList(shards, 'shards'), recovery);
  },
});

function readProgress(rows: readonly unknown[], recovery: Doc): RestoreProgress {
  const primaries = rows.map((row) => asObject(row, 'shard')).filter(({ prirep }) => prirep === 'p');
  const sizes = Object.values(recovery)
    .flatMap((index) => asList(asObject(index, 'index').shards, 'shards'))
    .map((shard) => asObject(shard, 'shard'))
    .filter(({ type }) => type === 'SNAPSHOT')
    .map((shard) => asObject(asObject(shard.index, 'index').size, 'size'));
  const sum = (member: string) => sizes.reduce((total, size) => total + asNumber(size[member] ?? 0, member), 0);
  return {
    shards: primaries.length,
    done: primaries.filter(({ state }) => state === 'STARTED' || state === 'RELOCATING').length,
    unassigned: primaries.filter(({ state }) => state === 'UNASSIGNED').length,
    bytesTotal: sum('total_in_bytes'),
    bytesRecovered: sum('recovered_in_bytes'),
  };
}

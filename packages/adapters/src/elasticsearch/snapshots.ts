import { snapshotIndices } from '@drover/core/names/search-cluster';
import type { SnapshotContent, SnapshotFacts, SnapshotState } from '@drover/search-cluster';
import type {
  RestoreProgress,
  RunningSnapshots,
  SnapshotCatalog,
  SnapshotRestorer,
  Snapshots,
} from '@drover/search-cluster/snapshot-ports';
import type { SearchClient } from './client/client.ts';
import { asList, asNumber, asObject, asObjects, asOneOf, asText, asTexts, type Doc } from './reading.ts';
import { recoveriesOf, sum } from './shards.ts';

const states: readonly SnapshotState[] = ['IN_PROGRESS', 'SUCCESS', 'PARTIAL', 'FAILED', 'INCOMPATIBLE'];
export const snapshotPath = (repository: string, snapshot: string): string =>
  `/_snapshot/${encodeURIComponent(repository)}/${encodeURIComponent(snapshot)}`;

/** Snapshots in a repository. */
export const snapshotStore = (client: SearchClient): Snapshots => ({
  start: async (repository, snapshot) => {
    const body = JSON.stringify({ indices: snapshotIndices, include_global_state: true });
    await client.json({ method: 'PUT', path: `${snapshotPath(repository, snapshot)}?wait_for_completion=false`, body });
  },
  get: async (repository, snapshot) => {
    const answer = asObject(await client.get(snapshotPath(repository, snapshot)), 'snapshots');
    return readSnapshot(asObject(asList(answer.snapshots, 'snapshots')[0], 'snapshot'));
  },
});

/** Of all repositories; the cluster state has them, no repository is read. */
export const runningSnapshots = (client: SearchClient): RunningSnapshots => ({
  names: async () => {
    const answer = asObject(await client.get('/_snapshot/_all/_current'), 'snapshots');
    return asObjects(answer.snapshots, 'snapshot').map(({ snapshot }) => asText(snapshot, 'snapshot'));
  },
});

function readSnapshot(doc: Doc): SnapshotFacts {
  return {
    name: asText(doc.snapshot, 'snapshot'),
    state: asOneOf(doc.state, states, 'state'),
    indices: asTexts(doc.indices ?? [], 'indices'),
    failures: asObjects(doc.failures ?? [], 'failure').map(
      ({ index, shard_id, reason }) => `shard ${String(shard_id)} of ${String(index)}: ${String(reason)}`,
    ),
    endedAt: asNumber(doc.end_time_in_millis ?? 0, 'end_time_in_millis'),
  };
}

/** Snapshots with what can be restored from them. */
export const snapshotCatalog = (client: SearchClient): SnapshotCatalog => ({
  content: async (repository, snapshot) => (await readContents(client, snapshotPath(repository, snapshot)))[0]!,
  list: (repository) =>
    readContents(client, `${snapshotPath(repository, '')}*?sort=start_time&order=desc&size=${listLimit}`),
});

/** The built-in policies keep 82. */
const listLimit = 200;

async function readContents(client: SearchClient, path: string): Promise<readonly SnapshotContent[]> {
  const answer = asObject(await client.json({ method: 'GET', path, timeoutMs: listTimeoutMs }), 'snapshots');
  return asObjects(answer.snapshots, 'snapshot').map(readContent);
}

/** Elasticsearch reads the repository itself to list it. */
const listTimeoutMs = 120_000;

const readContent = (doc: Doc): SnapshotContent => ({
  ...readSnapshot(doc),
  dataStreams: asTexts(doc.data_streams ?? [], 'data_streams'),
  featureStates: asObjects(doc.feature_states ?? [], 'feature_state').map(({ feature_name, indices = [] }) => ({
    feature: asText(feature_name, 'feature_name'),
    indices: asTexts(indices, 'indices'),
  })),
  includeGlobalState: doc.include_global_state === true,
  startedAt: asNumber(doc.start_time_in_millis ?? 0, 'start_time_in_millis'),
  failedIndices: asObjects(doc.failures ?? [], 'failure').map(({ index }) => String(index)),
});

/** Restores indices from snapshots. */
export const snapshotRestorer = (client: SearchClient): SnapshotRestorer => ({
  restore: async (repository, snapshot, plan) => {
    const { rename, settings } = plan;
    const body = JSON.stringify({
      indices: plan.indices.length === 0 ? '-*' : plan.indices.join(','),
      include_global_state: plan.includeGlobalState,
      // Without a list Elasticsearch would bring every feature back with the global state, users and passwords too.
      ...(plan.featureStates.length > 0 || plan.includeGlobalState
        ? { feature_states: plan.featureStates.length > 0 ? plan.featureStates : ['none'] }
        : {}),
      ...(rename === undefined ? {} : { rename_pattern: rename.pattern, rename_replacement: rename.replacement }),
      ...(settings === undefined
        ? {}
        : {
            include_aliases: settings.aliases,
            index_settings: settings.set,
            ignore_index_settings: settings.ignore.join(','),
          }),
    });
    const path = `${snapshotPath(repository, snapshot)}/_restore?wait_for_completion=false`;
    await client.json({ method: 'POST', path, body });
  },
  withoutTemplate: async (dataStreams) => {
    if (dataStreams.length === 0) return [];
    const path = '/_data_stream?expand_wildcards=all&filter_path=data_streams.name,data_streams.template';
    const answer = asObject(await client.get(path), 'data streams');
    const streams = asObjects(answer.data_streams ?? [], 'data_stream');
    const bare = streams.filter(({ template }) => template === undefined).map(({ name }) => asText(name, 'name'));
    return bare.filter((name) => dataStreams.includes(name));
  },
  openIndices: async () => {
    const path = '/_cat/indices?format=json&expand_wildcards=open,hidden&h=index';
    return asObjects(await client.get(path), 'index', 'indices').map(({ index }) => asText(index, 'index'));
  },
  progress: async (indices) => {
    // Of all indices: a hundred names are more than the line of a request holds.
    const path = '/_cat/shards?format=json&h=index,shard,prirep,state';
    const shards = asObjects(await client.get(path), 'shard');
    const recovery = asObject(await client.get('/_recovery?active_only=true'), 'recoveries');
    const wanted = new Set(indices);
    return readProgress(
      shards.filter(({ index }) => wanted.has(String(index))),
      Object.entries(recovery).flatMap(([index, entry]) => (wanted.has(index) ? [entry] : [])),
    );
  },
});

function readProgress(rows: readonly Doc[], recoveries: readonly unknown[]): RestoreProgress {
  const primaries = rows.filter(({ prirep }) => prirep === 'p');
  const fromSnapshots = recoveriesOf(recoveries).filter(({ type }) => type === 'SNAPSHOT');
  return {
    shards: primaries.length,
    done: primaries.filter(({ state }) => state === 'STARTED' || state === 'RELOCATING').length,
    unassigned: primaries.filter(({ state }) => state === 'UNASSIGNED').length,
    bytesTotal: sum(fromSnapshots, 'total_in_bytes'),
    bytesRecovered: sum(fromSnapshots, 'recovered_in_bytes'),
  };
}

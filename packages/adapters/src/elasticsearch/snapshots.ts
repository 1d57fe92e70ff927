import type { SnapshotFacts, SnapshotState, Snapshots } from '@drover/search-cluster';
import type { SearchClient } from './client.ts';
import { asList, asObject, asOneOf, asText, type Doc } from './reading.ts';

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

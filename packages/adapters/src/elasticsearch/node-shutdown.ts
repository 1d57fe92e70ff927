import type { ShutdownRecord } from '@drover/search-cluster';
import type { ShutdownRecords, VotingExclusions } from '@drover/search-cluster/ports';
import type { SearchClient } from './client/client.ts';
import { asNumber, asObject, asObjects, asOneOf, asText, asTexts, type Doc } from './reading.ts';
import { readVerdicts } from './shards.ts';

const statuses = ['NOT_STARTED', 'IN_PROGRESS', 'STALLED', 'COMPLETE'] as const;

/** The node shutdown API. Elasticsearch does not validate node ids and never removes a record by itself. */
export const shutdownRecords = (client: SearchClient): ShutdownRecords => ({
  list: async () => {
    const answer = asObject(await client.get('/_nodes/shutdown'), 'shutdown records');
    return asObjects(answer.nodes, 'node').map(readRecord);
  },
  register: async (nodeId, reason) => {
    await client.json({ method: 'PUT', path: pathOf(nodeId), body: JSON.stringify({ type: 'remove', reason }) });
  },
  registerRestart: async (nodeId, reason, delayMs) => {
    const body = JSON.stringify({ type: 'restart', reason, allocation_delay: `${Math.round(delayMs / 60_000)}m` });
    await client.json({ method: 'PUT', path: pathOf(nodeId), body });
  },
  withdraw: async (nodeId) => {
    await client.json({ method: 'DELETE', path: pathOf(nodeId) }, [404]);
  },
});

const pathOf = (nodeId: string) => `/_nodes/${encodeURIComponent(nodeId)}/shutdown`;

function readRecord(doc: Doc): ShutdownRecord {
  const migration = asObject(doc.shard_migration, 'shard_migration');
  const decision = migration.node_allocation_decision as Doc | undefined;
  return {
    nodeId: asText(doc.node_id, 'node_id'),
    type: asText(doc.type, 'type').toUpperCase(),
    reason: asText(doc.reason, 'reason'),
    startedAt: asNumber(doc.shutdown_startedmillis, 'shutdown_startedmillis'),
    status: asOneOf(doc.status, statuses, 'status'),
    shardsRemaining: asNumber(migration.shard_migrations_remaining ?? 0, 'shard_migrations_remaining'),
    explanation: migration.explanation as string | undefined,
    verdicts: readVerdicts(decision?.node_allocation_decisions),
  };
}

/** Moving a vote needs a new committed configuration; the server waits for it at most this long. */
const excludeTimeout = '30s';

/** The voting configuration and its exclusions. */
export const votingExclusions = (client: SearchClient): VotingExclusions => ({
  read: async () => {
    const path = '/_cluster/state/metadata?filter_path=metadata.cluster_coordination';
    const metadata = asObject(asObject(await client.get(path), 'cluster state').metadata, 'metadata');
    const doc = asObject(metadata.cluster_coordination, 'cluster_coordination');
    return {
      committed: asTexts(doc.last_committed_config, 'last_committed_config'),
      exclusions: asObjects(doc.voting_config_exclusions ?? [], 'voting_config_exclusion').map((entry) => ({
        nodeId: asText(entry.node_id, 'node_id'),
        nodeName: asText(entry.node_name, 'node_name'),
      })),
    };
  },
  exclude: async (nodeId) => {
    const path = `/_cluster/voting_config_exclusions?node_ids=${encodeURIComponent(nodeId)}&timeout=${excludeTimeout}`;
    await client.text({ method: 'POST', path, timeoutMs: 40_000 });
  },
  clear: async () => {
    await client.text({ method: 'DELETE', path: '/_cluster/voting_config_exclusions?wait_for_removal=false' });
  },
});

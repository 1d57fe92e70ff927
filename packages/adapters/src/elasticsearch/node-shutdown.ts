import type { ShutdownRecord, ShutdownRecords } from '@drover/search-cluster';
import { readVerdicts } from './allocation-verdicts.ts';
import type { SearchClient } from './client.ts';
import { asList, asNumber, asObject, asOneOf, asText, type Doc } from './reading.ts';

const statuses = ['NOT_STARTED', 'IN_PROGRESS', 'STALLED', 'COMPLETE'] as const;

/** The node shutdown API. Elasticsearch does not validate node ids and never removes a record by itself. */
export const shutdownRecords = (client: SearchClient): ShutdownRecords => ({
  list: async () => {
    const answer = await client.json({ method: 'GET', path: '/_nodes/shutdown' });
    return asList(asObject(answer, 'shutdown records').nodes, 'nodes').map((node) =>
      readRecord(asObject(node, 'record')),
    );
  },
  register: async (nodeId, reason) => {
    await client.json({ method: 'PUT', path: pathOf(nodeId), body: JSON.stringify({ type: 'remove', reason }) });
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
    shardsRemaining:
      migration.shard_migrations_remaining === undefined
        ? 0
        : asNumber(migration.shard_migrations_remaining, 'shard_migrations_remaining'),
    explanation: migration.explanation as string | undefined,
    verdicts: readVerdicts(decision?.node_allocation_decisions),
  };
}

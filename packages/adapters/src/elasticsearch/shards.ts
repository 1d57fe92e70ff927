import type { NodeLoadReader, ShardCopy, ShardLister, ShardState } from '@drover/search-cluster';
import type { SearchClient } from './client.ts';
import { asList, asNumber, asObject, asOneOf, asText, type Doc } from './reading.ts';

const states: readonly ShardState[] = ['STARTED', 'RELOCATING', 'INITIALIZING', 'UNASSIGNED'];

/** Every shard copy with its node's id and size. */
export const shardLister = (client: SearchClient): ShardLister => ({
  shards: async () => {
    const path = '/_cat/shards?format=json&bytes=b&h=index,shard,prirep,state,id,store';
    return asList(await client.json({ method: 'GET', path }), 'shards').map((row) => readCopy(asObject(row, 'shard')));
  },
});

function readCopy(row: Doc): ShardCopy {
  return {
    index: asText(row.index, 'index'),
    shard: asNumber(row.shard, 'shard'),
    primary: row.prirep === 'p',
    state: asOneOf(row.state, states, 'state'),
    nodeId: typeof row.id === 'string' && row.id !== '' ? row.id : undefined,
    bytes: row.store === null || row.store === undefined ? 0 : asNumber(row.store, 'store'),
  };
}

/** What one node holds. */
export const nodeLoadReader = (client: SearchClient): NodeLoadReader => ({
  loadOf: async (nodeId) => {
    const path = `/_cat/allocation/${encodeURIComponent(nodeId)}?format=json&bytes=b&h=node,shards,disk.indices`;
    const rows = asList(await client.json({ method: 'GET', path }), 'allocation').map((row) => asObject(row, 'node'));
    const row = rows.find(({ node }) => node !== 'UNASSIGNED');
    if (row === undefined) return { shards: 0, bytes: 0 };
    return {
      shards: asNumber(row.shards, 'shards'),
      bytes: row['disk.indices'] === null ? 0 : asNumber(row['disk.indices'], 'disk.indices'),
    };
  },
});

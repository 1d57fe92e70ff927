import type { NodeVerdict, ShardCopy, ShardState } from '@drover/search-cluster';
import type {
  AllocationExplainer,
  FailedShardRetry,
  LeaseLag,
  NodeLoadReader,
  RecoveryReader,
  ShardHistory,
  ShardLister,
} from '@drover/search-cluster/ports';
import type { SearchClient } from './client/client.ts';
import { asList, asNumber, asObject, asObjects, asOneOf, asText, type Doc } from './reading.ts';

const states: readonly ShardState[] = ['STARTED', 'RELOCATING', 'INITIALIZING', 'UNASSIGNED'];

/** Every shard copy with its node's id and size. */
export const shardLister = (client: SearchClient): ShardLister => ({
  shards: async () => {
    const path = '/_cat/shards?format=json&bytes=b&h=index,shard,prirep,state,id,store';
    return asObjects(await client.get(path), 'shard').map(readCopy);
  },
});

function readCopy(row: Doc): ShardCopy {
  return {
    index: asText(row.index, 'index'),
    shard: asNumber(row.shard, 'shard'),
    primary: row.prirep === 'p',
    state: asOneOf(row.state, states, 'state'),
    nodeId: typeof row.id === 'string' && row.id !== '' ? row.id : undefined,
    bytes: asNumber(row.store ?? 0, 'store'),
  };
}

/** Reads what one node holds. */
export const nodeLoadReader = (client: SearchClient): NodeLoadReader => ({
  loadOf: async (nodeId) => {
    const path = `/_cat/allocation/${encodeURIComponent(nodeId)}?format=json&bytes=b&h=node,shards,disk.indices`;
    const row = asObjects(await client.get(path), 'node', 'allocation').find(({ node }) => node !== 'UNASSIGNED');
    if (row === undefined) return { shards: 0, bytes: 0 };
    const bytes = row['disk.indices'] === null ? 0 : asNumber(row['disk.indices'], 'disk.indices');
    return { shards: asNumber(row.shards, 'shards'), bytes };
  },
});

/** Recoveries that still run with a node as their target. */
export const recoveryReader = (client: SearchClient): RecoveryReader => ({
  bytesInFlight: async () => sum(await activeRecoveries(client), 'recovered_in_bytes'),
  recoveriesTo: async (nodeId) => {
    const mine = (await activeRecoveries(client)).filter((shard) => asObject(shard.target, 'target').id === nodeId);
    return {
      active: mine.length,
      bytesTotal: sum(mine, 'total_in_bytes'),
      bytesRecovered: sum(mine, 'recovered_in_bytes'),
    };
  },
});

async function activeRecoveries(client: SearchClient): Promise<readonly Doc[]> {
  const answer = asObject(await client.get('/_recovery?active_only=true'), 'recoveries');
  return recoveriesOf(Object.values(answer)).filter((shard) => shard.stage !== 'DONE');
}

/** Of each index in the response, what its shards recover. */
export const recoveriesOf = (indices: readonly unknown[]): readonly Doc[] =>
  indices.flatMap((index) => asObjects(asObject(index, 'index').shards, 'shard'));

/** A size of recoveries together, in bytes. */
export function sum(shards: readonly Doc[], member: string): number {
  const sizes = shards.map((shard) => asObject(asObject(shard.index, 'index').size, 'size'));
  return sizes.reduce((total, size) => total + asNumber(size[member] ?? 0, member), 0);
}

/** Lets shards try again whose allocation failed too often. */
export const failedShardRetry = (client: SearchClient): FailedShardRetry => ({
  retryFailedShards: async () => {
    await client.json({ method: 'POST', path: '/_cluster/reroute?retry_failed=true&metric=none' });
  },
});

/** Each node's verdict on a shard, from the cluster allocation explain API. */
export const allocationExplainer = (client: SearchClient): AllocationExplainer => ({
  explain: async ({ index, shard, primary }) => {
    const body = JSON.stringify({ index, shard, primary });
    const answer = await client.json({ method: 'POST', path: '/_cluster/allocation/explain', body });
    return readVerdicts(asObject(answer, 'explanation').node_allocation_decisions);
  },
});

/** Reads `node_allocation_decisions`, as the explain API and stalled shutdown records carry it. */
export const readVerdicts = (decisions: unknown): readonly NodeVerdict[] =>
  asObjects(decisions ?? [], 'node_allocation_decision').map(readVerdict);

function readVerdict(doc: Doc): NodeVerdict {
  return {
    nodeId: asText(doc.node_id, 'node_id'),
    nodeName: asText(doc.node_name, 'node_name'),
    possible: asText(doc.node_decision, 'node_decision').toLowerCase() !== 'no',
    against: asObjects(doc.deciders ?? [], 'decider')
      .filter((decider) => decider.decision === 'NO')
      .map((decider) => ({
        decider: asText(decider.decider, 'decider'),
        explanation: asText(decider.explanation, 'explanation'),
      })),
  };
}

/** A flush of everything may take as long. */
const flushTimeoutMs = 120_000;

/** Flushes, and reads the retention leases that primaries keep for the copies on a node. */
export const shardHistory = (client: SearchClient): ShardHistory => ({
  flush: async () => {
    await client.json({ method: 'POST', path: '/_flush?ignore_unavailable=true', timeoutMs: flushTimeoutMs });
  },
  leaseLags: async (nodeId) => {
    const parts = ['routing', 'seq_no.max_seq_no', 'retention_leases.leases'];
    const path = `/_stats/docs?level=shards&filter_path=${parts.map((part) => `indices.*.shards.*.${part}`).join()}`;
    const answer = asObject(await client.get(path), 'statistics');
    return Object.entries(asObject(answer.indices ?? {}, 'indices')).flatMap(([index, entry]) =>
      Object.entries(asObject(asObject(entry, index).shards, 'shards')).flatMap(([shard, copies]) =>
        readLag(index, Number(shard), asList(copies, 'copies') as readonly Doc[], nodeId),
      ),
    );
  },
});

/** The primary's entry knows the newest operation; a node without a copy of the shard has no lag. */
function readLag(index: string, shard: number, copies: readonly Doc[], nodeId: string): LeaseLag[] {
  const routing = (copy: Doc) => asObject(copy.routing, 'routing');
  const primary = copies.find((copy) => routing(copy).primary === true);
  if (primary === undefined || !copies.some((copy) => routing(copy).node === nodeId)) return [];
  const maxSeqNo = asNumber(asObject(primary.seq_no, 'seq_no').max_seq_no, 'max_seq_no');
  const leases = asList(asObject(primary.retention_leases, 'retention_leases').leases, 'leases') as readonly Doc[];
  const own = leases.find((lease) => lease.id === `peer_recovery/${nodeId}`);
  const behind = own === undefined ? undefined : maxSeqNo + 1 - asNumber(own.retaining_seq_no, 'retaining_seq_no');
  return [{ index, shard, maxSeqNo, behind }];
}

import { snapshotCatalog } from '@drover/adapters/elasticsearch';
import { snapshotRepository } from '@drover/core/names/search-cluster';
import type { ShardCopy, SnapshotContent } from '@drover/search-cluster';
import type { OpenCluster } from '../../open-cluster.ts';

/** An index of which some shards have no copy left in the cluster, with what could bring them back. */
export interface LostShards {
  readonly index: string;
  readonly shards: readonly number[];
  /** How many shards the index has. */
  readonly ofShards: number;
  /** A node that has a copy which missed writes before the last good one went. */
  readonly stale: { readonly shard: number; readonly node: string } | undefined;
  /** Other indices with primaries that are not assigned. */
  readonly others: number;
  /** The newest first. */
  readonly snapshots: readonly SnapshotContent[];
}

/** Each shard costs a request. */
const mostExplained = 20;

/** The first index that has lost a shard; undefined when primaries only wait for a node or for room. */
export async function readLost({ client }: OpenCluster, copies: readonly ShardCopy[]): Promise<LostShards | undefined> {
  const missing = copies.filter(({ primary, state }) => primary && state === 'UNASSIGNED');
  const indices = [...new Set(missing.map(({ index }) => index))].sort();
  const explained = await Promise.all(
    missing
      .toSorted((a, b) => indices.indexOf(a.index) - indices.indexOf(b.index) || a.shard - b.shard)
      .slice(0, mostExplained)
      .map(async ({ index, shard }) => {
        const body = JSON.stringify({ index, shard, primary: true });
        const answer = await client.json({ method: 'POST', path: '/_cluster/allocation/explain', body });
        return { index, shard, ...(answer as Explanation) };
      }),
  );
  const lost = explained.filter(({ can_allocate }) => can_allocate === 'no_valid_shard_copy');
  const [first] = lost;
  if (first === undefined) return undefined;
  const { index } = first;
  const stale = lost.flatMap(({ index: name, shard, node_allocation_decisions: nodes = [] }) =>
    nodes.filter(({ store }) => name === index && store?.in_sync === false).map((node) => ({ shard, node })),
  )[0];
  return {
    index,
    shards: lost.filter((one) => one.index === index).map(({ shard }) => shard),
    ofShards: copies.filter((copy) => copy.index === index && copy.primary).length,
    stale: stale === undefined ? undefined : { shard: stale.shard, node: stale.node.node_name },
    others: indices.length - 1,
    snapshots: await snapshotCatalog(client).list(snapshotRepository),
  };
}

interface Explanation {
  readonly can_allocate?: string;
  readonly node_allocation_decisions?: readonly {
    readonly node_name: string;
    readonly store?: { readonly in_sync?: boolean };
  }[];
}

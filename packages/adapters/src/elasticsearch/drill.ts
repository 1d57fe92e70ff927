import { drillPrefix } from '@drover/core/names/search-cluster';
import type { DrillIndices } from '@drover/search-cluster/snapshot-ports';
import type { SearchClient } from './client/client.ts';
import { asList, asNumber, asObject, asObjects, asText, type Doc } from './reading.ts';
import { snapshotPath } from './snapshots.ts';

/** The copies that a restore drill makes. */
export const drillIndices = (client: SearchClient): DrillIndices => {
  const rows = async (path: string) => asObjects(await client.get(path), 'index', 'indices');
  return {
    names: async () =>
      (await rows(`/_cat/indices/${drillPrefix}*?format=json&expand_wildcards=all&h=index`)).map(({ index }) =>
        asText(index, 'index'),
      ),
    documents: async () => {
      const found = await rows('/_cat/indices?format=json&expand_wildcards=all&h=index,docs.count');
      return new Map(found.map((row) => [asText(row.index, 'index'), Number(row['docs.count'] ?? 0)]));
    },
    sizes: async (repository, snapshot) => {
      const path = `${snapshotPath(repository, snapshot)}?index_details=true&filter_path=snapshots.index_details.*.size_in_bytes,snapshots.index_details.*.shard_count`;
      const answer = asObject(await client.get(path), 'snapshots');
      const [first] = asList(answer.snapshots ?? [], 'snapshots');
      const details = asObject(asObject(first ?? {}, 'snapshot').index_details ?? {}, 'index_details');
      return new Map(
        Object.entries(details).map(([index, entry]) => {
          const { size_in_bytes, shard_count } = asObject(entry, index);
          const shards = asNumber(shard_count, 'shard_count');
          return [index, { bytes: asNumber(size_in_bytes, 'size_in_bytes'), shards }];
        }),
      );
    },
    content: async (index) => {
      const path = `/${encodeURIComponent(index)}`;
      if ((await client.text({ method: 'POST', path: `${path}/_refresh` }, [404])).status === 404) return undefined;
      const answer = await client.get(`${path}/_stats/docs?level=shards`);
      const entry = asObject(Object.values(asObject(asObject(answer, 'statistics').indices, 'indices'))[0], 'index');
      const primaries = Object.values(asObject(entry.shards, 'shards'))
        .flatMap((copies) => asList(copies, 'copies') as readonly Doc[])
        .filter((copy) => asObject(copy.routing, 'routing').primary === true);
      const sum = (member: string, name: string) =>
        primaries.reduce((total, copy) => total + asNumber(asObject(copy[member], member)[name], name), 0);
      return { documents: sum('docs', 'count'), operations: sum('seq_no', 'max_seq_no') };
    },
    remove: async (index) => {
      if (!index.startsWith(drillPrefix) || index.includes('*') || index.includes(','))
        throw new Error(`${index} is no index of a restore drill`);
      await client.text({ method: 'DELETE', path: `/${encodeURIComponent(index)}` }, [404]);
    },
  };
};

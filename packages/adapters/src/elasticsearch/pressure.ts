import type { PressureReader } from '@drover/search-cluster/ports';
import type { SearchClient } from './client/client.ts';
import { asNumber, asObject, type Doc } from './reading.ts';

/** Pools whose refusals clients see as status 429. */
const pools = ['write', 'search'] as const;
const block = 'index.blocks.read_only_allow_delete';

/** How close the nodes are to refusing work, and what they refuse already. */
export const pressureReader = (client: SearchClient): PressureReader => ({
  pressure: async () => {
    const fields = ['jvm.mem.heap_used_percent', ...pools.map((pool) => `thread_pool.${pool}.rejected`)];
    const path = `/_nodes/stats/jvm,thread_pool?filter_path=${fields.map((field) => `nodes.*.${field}`).join()}`;
    const nodes = Object.entries(asObject(asObject(await client.get(path), 'node stats').nodes, 'nodes'));
    return nodes.map(([nodeId, stats]) => {
      const { jvm, thread_pool } = asObject(stats, nodeId);
      // A node without that pool has refused nothing.
      const refused = (pool: string) =>
        asNumber((asObject(thread_pool ?? {}, nodeId)[pool] as Doc)?.rejected ?? 0, pool);
      return {
        nodeId,
        heapPercent: asNumber(asObject(asObject(jvm, 'jvm').mem, 'mem').heap_used_percent, 'heap_used_percent'),
        rejected: pools.map(refused).reduce((sum, count) => sum + count, 0),
      };
    });
  },
  blockedIndices: async () => {
    const found = asObject(await client.get(`/_all/_settings/${block}?expand_wildcards=all&flat_settings=true`), block);
    return Object.keys(found).filter((index) => {
      const { settings = {} } = asObject(found[index], index);
      return String(asObject(settings, 'settings')[block]) === 'true';
    });
  },
});

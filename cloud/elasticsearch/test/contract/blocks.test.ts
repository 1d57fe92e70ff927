import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

/** A request by its method, its path and its body. */
type Request = readonly [method: string, path: string, body?: unknown];

const index = 'contract-blocked';
const bulk = '{"index":{"_index":"contract-blocked","_id":"2"}}\n{"a":2}\n';

const reads: readonly Request[] = [
  ['GET', `/${index}/_doc/1`],
  ['HEAD', `/${index}/_doc/1`],
  ['GET', `/${index}/_mget`, { ids: ['1'] }],
  ['GET', `/${index}/_count`],
  ['GET', `/${index}/_search`],
];

const writes: readonly Request[] = [
  ['PUT', `/${index}/_doc/2`, { a: 2 }],
  ['DELETE', `/${index}/_doc/none`],
  ['POST', '/_bulk', bulk],
];

const metadataReads: readonly Request[] = [
  ['GET', `/${index}`],
  ['HEAD', `/${index}`],
  ['GET', `/${index}/_mapping`],
  ['GET', `/${index}/_alias`],
  ['GET', `/${index}/_settings/index.number_of_shards`],
  ['GET', `/${index}/_stats/docs?filter_path=_all.primaries.docs.count`],
  ['GET', `/${index}/_recovery?filter_path=*.shards.stage`],
  ['GET', `/_cat/indices/${index}?h=index,pri`],
  ['GET', `/_cat/shards/${index}?h=index,prirep`],
  ['GET', `/_cat/count/${index}?h=count`],
  ['GET', `/_cat/aliases/${index}-alias?h=alias,index`],
  ['GET', `/_cluster/health/${index}?filter_path=status`],
  ['GET', `/_cluster/state/blocks/${index}`],
];

const metadataWrites: readonly Request[] = [
  ['PUT', `/${index}/_alias/${index}-alias`],
  ['POST', `/${index}/_refresh?filter_path=_shards.failed`],
  ['POST', `/${index}/_flush?filter_path=_shards.failed`],
  ['PUT', `/${index}/_settings`, { 'index.refresh_interval': '2s' }],
  ['POST', `/${index}/_close`],
];

const block = (target: ContractTarget, name: string) =>
  target.must('PUT', `/${index}/_settings`, { body: { [`index.blocks.${name}`]: true } });

/** One shard with one document that can be searched. */
async function blockable(target: ContractTarget): Promise<void> {
  target.cleanup(() => target.put(`/${index}/_settings?ignore_unavailable`, { 'index.blocks.read_only': null }));
  await target.index(index, { number_of_shards: 1, number_of_replicas: 0 });
  await target.must('PUT', `/${index}/_doc/1?refresh=true`, { body: { a: 1 } });
}

async function seeAll(target: ContractTarget, requests: readonly Request[]): Promise<void> {
  for (const [method, path, body] of requests)
    await target.see(`${method} ${path}`, method, path, { body }, { varying: ['uuid', 'creation_date', 'created'] });
}

const put = (target: ContractTarget, step: string, body: unknown) =>
  target.see(step, 'PUT', `/${index}/_settings`, { body });

contract('an index with index.blocks.write takes no documents and can be read and changed', async (target) => {
  await blockable(target);
  await block(target, 'write');
  await seeAll(target, [...writes, ...reads, ...metadataReads, ...metadataWrites]);
  await target.must('DELETE', `/${index}`);
});

contract(
  'an index with index.blocks.read_only can be read, and neither written, changed nor deleted',
  async (target) => {
    await blockable(target);
    await block(target, 'read_only');
    await seeAll(target, [...writes, ...reads, ...metadataReads, ...metadataWrites, ['DELETE', `/${index}`]]);
    await put(target, 'lift with another setting', { 'index.blocks.read_only': null, 'index.priority': 5 });
    await seeAll(target, [['PUT', `/${index}/_doc/2?filter_path=result`, { a: 2 }]]);
  },
);

contract('an index with index.blocks.read_only_allow_delete can be deleted and not written', async (target) => {
  await blockable(target);
  await put(target, 'add', { 'index.blocks.read_only_allow_delete': true });
  // Few requests: every 30 seconds the server takes the block from indices on disks with room.
  await seeAll(target, [...writes, ...metadataWrites.slice(0, 4), ['GET', `/${index}/_doc/1`]]);
  await seeAll(target, [['GET', `/_cluster/state/blocks/${index}`]]);
  await put(target, 'lift with another setting', { 'index.blocks.read_only_allow_delete': null, 'index.priority': 5 });
  await put(target, 'add again', { 'index.blocks.read_only_allow_delete': true });
  await seeAll(target, [['DELETE', `/${index}`]]);
});

contract('an index with index.blocks.read can be written and not read', async (target) => {
  await blockable(target);
  await block(target, 'read');
  await seeAll(target, [...reads, ...metadataReads]);
  await seeAll(target, [['PUT', `/${index}/_doc/2?filter_path=result`, { a: 2 }]]);
});

contract('an index with index.blocks.metadata hides and keeps its metadata', async (target) => {
  await blockable(target);
  target.cleanup(() => target.put(`/${index}/_settings?ignore_unavailable`, { 'index.blocks.metadata': null }));
  await block(target, 'metadata');
  const rest = metadataReads.filter(([, path]) => !path.startsWith('/_cat/indices'));
  await seeAll(target, [...reads, ...rest, ...metadataWrites, ['DELETE', `/${index}`]]);
  // The server asks itself several things for this table; how many of them are refused in time differs.
  const { status, body } = await target.get(`/_cat/indices/${index}`);
  target.compare('cat indices', { status, headers: {}, body: body.error.reason });
  await seeAll(target, [['PUT', `/${index}/_doc/2?filter_path=result`, { a: 2 }]]);
  await put(target, 'lift with another setting', { 'index.blocks.metadata': null, 'index.priority': 5 });
  await put(target, 'lift alone', { 'index.blocks.metadata': null });
});

/** A repository with one snapshot, both removed after the case. */
async function keptSnapshot(target: ContractTarget): Promise<void> {
  const settings = { location: `${target.repositoryPath}/contract-blocked-${process.pid}` };
  target.cleanup(() => target.delete('/_snapshot/contract-blocked-kept'));
  target.cleanup(() => target.delete('/_snapshot/contract-blocked-kept/*'));
  await target.must('PUT', '/_snapshot/contract-blocked-kept', { body: { type: 'fs', settings } });
  const body = { indices: index, include_global_state: false };
  await target.must('PUT', '/_snapshot/contract-blocked-kept/one?wait_for_completion=true', { body });
}

const clusterWrites = (repository: string | undefined): readonly Request[] => [
  ['PUT', `/${index}-new`],
  ['PUT', `/${index}-new/_doc/1`, { a: 1 }],
  ['PUT', `/${index}/_settings`, { 'index.blocks.read_only': true }],
  ['PUT', '/_index_template/contract-blocked', { index_patterns: ['contract-blocked-no*'] }],
  ['PUT', '/_template/contract-blocked', { index_patterns: ['contract-blocked-no*'] }],
  ['PUT', '/_snapshot/contract-blocked', { type: 'fs', settings: { location: `${repository}/contract-blocked` } }],
  [
    'PUT',
    '/_snapshot/contract-blocked-kept/two?wait_for_completion=true&filter_path=snapshot.state',
    { indices: index, include_global_state: false },
  ],
  ['GET', '/_snapshot/contract-blocked-kept/one?filter_path=snapshots.snapshot'],
  ['POST', '/_snapshot/contract-blocked-kept/one/_restore', { rename_pattern: '.+', rename_replacement: 'x' }],
  ['POST', '/_snapshot/contract-blocked-kept/_verify?filter_path=nope'],
  ['POST', '/_snapshot/contract-blocked-kept/_cleanup'],
  ['DELETE', '/_snapshot/contract-blocked-kept/one'],
  ['DELETE', '/_snapshot/contract-blocked-kept'],
  ['PUT', '/_security/role/contract-blocked', { cluster: ['monitor'] }],
  ['POST', '/_cluster/reroute?metric=none', {}],
  ['POST', '/_cluster/voting_config_exclusions?node_names=nobody'],
  ['PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '50mb' } }],
  ['GET', '/_cluster/settings'],
  ['GET', '/_cluster/state/blocks'],
];

for (const block of ['cluster.blocks.read_only', 'cluster.blocks.read_only_allow_delete'])
  contract(
    `a cluster with ${block} refuses writes and changes`,
    async (target) => {
      await blockable(target);
      await keptSnapshot(target);
      target.cleanup(() => target.delete('/_security/role/contract-blocked'));
      await target.must('PUT', '/_security/role/contract-blocked', { body: { cluster: ['monitor'] } });
      target.cleanup(() => target.delete('/_index_template/contract-blocked'));
      await target.settings({ [block]: true });
      await seeAll(target, [...writes, ...reads, ...metadataReads, ...metadataWrites]);
      await seeAll(target, clusterWrites(target.repositoryPath));
      await seeAll(target, [['DELETE', `/${index}`]]);
      const both = { [block]: null, 'cluster.max_shards_per_node': null };
      await target.see('lift with another setting', 'PUT', '/_cluster/settings', { body: { persistent: both } });
      await target.see('lift alone', 'PUT', '/_cluster/settings', { body: { persistent: { [block]: null } } });
    },
    { needs: ['a directory for file repositories (path.repo)', 'native users'] },
  );

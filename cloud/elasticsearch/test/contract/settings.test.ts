import { expect } from 'vitest';
import { contract } from './contract.ts';

const rate = 'indices.recovery.max_bytes_per_sec';
const incoming = 'cluster.routing.allocation.node_concurrent_incoming_recoveries';

contract('cluster settings last until they are reset', async (target) => {
  target.cleanup(() =>
    target.put('/_cluster/settings', { persistent: { [rate]: null }, transient: { [incoming]: null } }),
  );

  await target.see('persistent', 'PUT', '/_cluster/settings', { body: { persistent: { [rate]: '50mb' } } });
  await target.see('transient', 'PUT', '/_cluster/settings', { body: { transient: { [incoming]: 3 } } });
  await target.see('both', 'GET', '/_cluster/settings');
  await target.see('flat', 'GET', '/_cluster/settings?flat_settings=true');
  await target.see('answers flat', 'PUT', '/_cluster/settings?flat_settings', {
    body: { persistent: { [rate]: '60mb' } },
  });
  await target.see('filtered', 'GET', '/_cluster/settings?filter_path=persistent.indices.**');
  await target.see('back', 'PUT', '/_cluster/settings', {
    body: { persistent: { 'indices.recovery.*': null }, transient: { [incoming]: null } },
  });
  await target.see('nothing left', 'GET', '/_cluster/settings');
});

const refused: readonly Record<string, unknown>[] = [
  { 'cluster.nope': 1 },
  { nope: 1 },
  { 'cluster.name': 'x' },
  { 'node.name': 'x' },
  { [rate]: 'fast' },
  { [incoming]: -1 },
  { [incoming]: 'x' },
  { 'cluster.routing.allocation.enable': 'maybe' },
  { 'cluster.routing.rebalance.enable': 'maybe' },
  { 'cluster.routing.allocation.disk.watermark.low': 'x' },
  { 'cluster.routing.allocation.disk.watermark.low': '99%' },
  { 'cluster.routing.allocation.exclude._ip': 'not-an-address' },
  { 'cluster.max_shards_per_node': 0 },
  { 'indices.recovery.nope': 1 },
];

contract('unknown and unreadable cluster settings are refused', async (target) => {
  for (const persistent of refused)
    await target.see(JSON.stringify(persistent), 'PUT', '/_cluster/settings', { body: { persistent } });
});

contract('include_defaults returns the default cluster settings', async (target) => {
  const { body } = await target.get('/_cluster/settings?include_defaults=true&flat_settings=true');
  const names = [
    'cluster.routing.allocation.enable',
    'cluster.routing.rebalance.enable',
    'cluster.routing.allocation.allow_rebalance',
    'cluster.routing.allocation.cluster_concurrent_rebalance',
    'cluster.routing.allocation.node_concurrent_recoveries',
    'cluster.routing.allocation.node_initial_primaries_recoveries',
    'cluster.routing.allocation.disk.watermark.low',
    'cluster.routing.allocation.disk.watermark.high',
    'cluster.routing.allocation.disk.watermark.flood_stage',
    'cluster.routing.allocation.same_shard.host',
    'cluster.routing.allocation.balance.shard',
    'cluster.routing.allocation.balance.index',
    'cluster.routing.allocation.balance.threshold',
    'cluster.routing.allocation.awareness.attributes',
    'cluster.max_shards_per_node',
    'indices.recovery.max_bytes_per_sec',
    'cluster.auto_shrink_voting_configuration',
    'cluster.max_voting_config_exclusions',
    'cluster.info.update.interval',
    'action.destructive_requires_name',
    'cluster.blocks.read_only',
  ];

  const defaults = Object.fromEntries(names.map((name) => [name, body.defaults[name]]));
  target.compare('defaults', { status: 200, headers: {}, body: defaults });
});

contract('a cluster-wide block is removed only by a request that changes no other setting', async (target) => {
  const block = 'cluster.blocks.read_only';
  target.cleanup(() => target.put('/_cluster/settings', { persistent: { [block]: null } }));

  await target.see('blocked', 'PUT', '/_cluster/settings', { body: { persistent: { [block]: true } } });
  await target.see('no new index', 'PUT', '/contract-blocked');
  await target.see('with another', 'PUT', '/_cluster/settings', {
    body: { persistent: { [block]: false, [rate]: '50mb' } },
  });
  await target.see('alone', 'PUT', '/_cluster/settings', { body: { persistent: { [block]: null } } });
});

contract('index settings are stored and reset', async (target) => {
  await target.index('contract-settings', { number_of_shards: 2, number_of_replicas: 1 });
  const path = '/contract-settings/_settings';
  const varying = {
    varying: ['uuid', 'creation_date', 'created', 'index.uuid', 'index.creation_date', 'index.version.created'],
  };

  await target.see('all', 'GET', path, {}, varying);
  await target.see('flat', 'GET', `${path}?flat_settings=true`, {}, varying);
  await target.see('by name', 'GET', `${path}/index.number_of_*`);
  await target.see('replicas', 'PUT', path, { body: { index: { number_of_replicas: 2 } } });
  await target.see('flat key', 'PUT', path, { body: { 'index.refresh_interval': '5s' } });
  await target.see('preserve', 'PUT', `${path}?preserve_existing=true`, { body: { 'index.refresh_interval': '9s' } });
  await target.see('after', 'GET', `${path}?flat_settings=true`, {}, varying);
  await target.see('back', 'PUT', path, { body: { 'index.refresh_interval': null } });
  await target.see('back seen', 'GET', `${path}/index.refresh_interval`);
});

contract('static and unknown index settings of an open index are refused', async (target) => {
  await target.index('contract-final', { number_of_shards: 1, number_of_replicas: 0 });
  for (const body of [
    { number_of_shards: 3 },
    { 'index.nope': 1 },
    { number_of_replicas: 'x' },
    { number_of_replicas: -1 },
    { 'index.codec': 'best_compression' },
    { 'index.uuid': 'x' },
    { 'index.routing.allocation.require.zone': 'a', nope: 1 },
    {},
  ])
    await target.see(JSON.stringify(body), 'PUT', '/contract-final/_settings', { body });
  await target.see('missing index', 'PUT', '/contract-missing/_settings', { body: { number_of_replicas: 1 } });
});

contract(
  'voting configuration exclusions remove masters and are cleared',
  async (target) => {
    // Not the elected one: it would step down, and the next request would meet an election.
    const { body: elected } = await target.get('/_cluster/state/master_node');
    const { id, name } = target.nodes.find((node) => node.id !== elected.master_node)!;
    target.cleanup(() => target.delete('/_cluster/voting_config_exclusions?wait_for_removal=false'));

    await target.see('exclude', 'POST', `/_cluster/voting_config_exclusions?node_names=${name}`);
    const { body } = await target.get(
      '/_cluster/state/metadata?filter_path=metadata.cluster_coordination.voting_config_exclusions',
    );
    expect(body.metadata.cluster_coordination.voting_config_exclusions).toEqual([{ node_id: id, node_name: name }]);
    await target.see('waits for the node to go', 'DELETE', '/_cluster/voting_config_exclusions?master_timeout=1s');
    await target.see('clear', 'DELETE', '/_cluster/voting_config_exclusions?wait_for_removal=false');
  },
  { needs: ['three data nodes'] },
);

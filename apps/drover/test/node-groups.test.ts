import { furtherGroupName } from '@drover/core/names/node-groups';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, expect, it } from 'vitest';
import { droverOnCluster } from './operator.test-support.ts';

const from = '8.18.8';
const to = '8.19.21';
const inputs = {
  elasticsearchVersion: from,
  dataCount: 3,
  nodeGroups: { data: { tier: 'hot' }, warm: { tier: 'warm', count: 3, volumeSize: 500 } },
} as const;
const warm = furtherGroupName('logs', 'warm');
let stage: ClusterStage;

interface Nodes {
  readonly nodes: Readonly<Record<string, { readonly name: string; readonly roles: readonly string[] }>>;
}

beforeAll(async () => {
  stage = await ClusterStage.open(inputs);
  const settings = (tier?: string) => ({
    ...{ number_of_shards: 2, number_of_replicas: 1 },
    ...(tier === undefined ? {} : { 'index.routing.allocation.include._tier_preference': tier }),
  });
  await stage.deployed.search('PUT', '/new', { settings: settings() });
  await stage.deployed.search('PUT', '/old', { settings: settings('data_warm,data_hot') });
  for (const index of ['new', 'old'])
    for (let id = 0; id < 5; id++) await stage.deployed.search('PUT', `/${index}/_doc/${id}`, { id });
  await stage.pass(5);
}, 300_000);

const rolesOf = async (group: string) => {
  const { nodes } = await stage.deployed.search<Nodes>('GET', '/_nodes');
  const names = stage.deployed.inService(group).map((id) => stage.deployed.nodeOf(id).name);
  return [
    ...new Set(Object.values(nodes).flatMap(({ name, roles }) => (names.includes(name) ? [roles.join(' ')] : []))),
  ];
};
const groupsWith = async (index: string) => {
  const copies = await stage.deployed.search<{ node: string }[]>('GET', `/_cat/shards/${index}?format=json&h=node`);
  const groupOf = new Map(
    stage.deployed.members().map(({ id, group }) => [stage.deployed.nodes.get(id)?.name, group] as const),
  );
  return [...new Set(copies.map(({ node }) => groupOf.get(node)))];
};
const documents = async () => (await stage.deployed.search<{ count: number }>('GET', '/new,old/_count')).count;
const tiersOf = (roles: readonly string[]) =>
  ['master', 'data_cold', 'data_warm', 'data_hot'].find((role) => roles.includes(role))!.replace('data_', '');

it('masters, hot and warm nodes form one cluster, and each index is on the nodes of its tier', async () => {
  expect(await stage.deployed.health()).toBe('green');
  expect(await rolesOf('logs')).toEqual(['master remote_cluster_client']);
  expect(await rolesOf('logs-data')).toEqual(['data_content data_hot ingest remote_cluster_client transform']);
  expect(await rolesOf(warm)).toEqual(['data_warm remote_cluster_client']);
  expect([await groupsWith('new'), await groupsWith('old')]).toEqual([['logs-data'], [warm]]);
});

it.each(['logs', 'logs-data', warm])(
  'a cluster of three groups loses a node of the group %s, and no document',
  async (group) => {
    const [lost] = stage.deployed.inService(group);
    stage.deployed.nodeOf(lost!).crash({ silently: true });
    stage.world.machines.kill(lost!);
    await stage.until('the node is gone', () => stage.deployed.stateOf(lost!) === undefined);
    await stage.until('another one has come', () => stage.isWhole());
    await stage.until('the cluster is green', () => stage.deployed.colour() === 'green');

    expect(await documents()).toBe(10);
    expect([await groupsWith('new'), await groupsWith('old')]).toEqual([['logs-data'], [warm]]);
  },
  120_000,
);

it('a node of a further group is drained to the others of its tier when its instance is terminated', async () => {
  const [leaving] = stage.deployed.inService(warm);
  await stage.deployed.terminate(leaving!);
  await stage.until('it is gone', () => stage.deployed.stateOf(leaving!) === undefined);
  await stage.until('another one has come', () => stage.isWhole());
  await stage.until('its record is deleted', () => stage.deployed.core.state.shutdowns.size === 0);

  expect([await documents(), await groupsWith('old')]).toEqual([10, [warm]]);
}, 120_000);

it('status and cost name each group', async () => {
  const status = JSON.parse((await droverOnCluster(stage, 'cluster', 'status', '--format', 'json')).stdout);
  const kinds = status.nodes.map(({ kind }: { kind: string }) => kind);
  expect(kinds.toSorted()).toEqual([...Array(3).fill('data'), ...Array(3).fill('master'), ...Array(3).fill('warm')]);
  const doctor = await droverOnCluster(stage, 'cluster', 'doctor', '--format', 'json');
  expect(doctor.stdout).toContain('3 masters and 3 data nodes and 3 warm nodes are wanted, and all are there');
}, 120_000);

it('a cluster of three groups is upgraded tier by tier: warm nodes, hot nodes, masters', async () => {
  const order = JSON.parse(
    (await droverOnCluster(stage, 'cluster', 'upgrade', '--to', to, '--dry-run', '--format', 'json')).stdout,
  ).order.map(({ roles }: { roles: string[] }) => tiersOf(roles));
  expect(order).toEqual([...Array(3).fill('warm'), ...Array(3).fill('hot'), ...Array(3).fill('master')]);
  const { exitCode, stderr } = await droverOnCluster(stage, 'cluster', 'upgrade', '--to', to);
  expect({ exitCode, versions: [...stage.deployed.nodes.values()].map(({ version }) => version) }, stderr).toEqual({
    exitCode: 0,
    versions: Array(9).fill(to),
  });
  expect(await documents()).toBe(10);
}, 300_000);

it('a further group comes to a cluster that runs: no node is replaced, and a roll takes the nodes tier by tier', async () => {
  const before = stage.deployed.inService();
  const cold = { tier: 'cold', count: 2 } as const;
  await stage.deploy({ ...inputs, elasticsearchVersion: to, nodeGroups: { ...inputs.nodeGroups, cold } });
  await stage.until('the new nodes are in service', () => stage.isWhole());

  expect(stage.deployed.inService()).toEqual(expect.arrayContaining([...before]));
  expect(stage.deployed.inService()).toHaveLength(before.length + 2);
  expect(await rolesOf(furtherGroupName('logs', 'cold'))).toEqual(['data_cold remote_cluster_client']);
  const { exitCode, stderr } = await droverOnCluster(stage, 'cluster', 'roll');
  const taken = [...stderr.matchAll(/; (\S+) \(i-\w+\) takes it/g)].map(([, name]) => name);
  const { nodes } = await stage.deployed.search<Nodes>('GET', '/_nodes');
  const tiers = taken.map((name) => tiersOf(Object.values(nodes).find((node) => node.name === name)!.roles));
  expect({ exitCode, tiers }, stderr).toEqual({
    exitCode: 0,
    tiers: ['cold', 'cold', ...Array(3).fill('warm'), ...Array(3).fill('hot'), ...Array(3).fill('master')],
  });
}, 300_000);

it('a tier without indices is taken away: with a count of 0 its nodes leave, then its entry goes', async () => {
  const { data } = inputs.nodeGroups;
  const cold = { tier: 'cold', count: 2 } as const;
  const other = { ...inputs, elasticsearchVersion: to };
  await stage.deployed.search('PUT', '/old/_settings', {
    'index.routing.allocation.include._tier_preference': 'data_hot',
  });
  await stage.pass(10);
  await stage.deploy({ ...other, nodeGroups: { data, cold, warm: { ...inputs.nodeGroups.warm, count: 0 } } });
  await stage.until('the nodes are gone', () => stage.deployed.members().every(({ group }) => group !== warm));
  expect([await documents(), await groupsWith('old')]).toEqual([10, ['logs-data']]);

  await stage.deploy({ ...other, nodeGroups: { data, cold } });
  expect(stage.deployed.groupNames()).toEqual(['logs', 'logs-data', 'logs-cold']);
  expect(await stage.deployed.health()).toBe('green');
}, 300_000);

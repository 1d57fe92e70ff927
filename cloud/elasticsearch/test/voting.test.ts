import { expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

const exclusions = '/_cluster/voting_config_exclusions';
const masters = (count: number) => TestCluster.formed(count, {}, () => ({ roles: ['master', 'data'] }));
const excluded = async (test: TestCluster) =>
  (
    await test.get('/_cluster/state/metadata?filter_path=metadata.cluster_coordination.voting_config_exclusions')
  ).body.metadata.cluster_coordination.voting_config_exclusions.map((entry: { node_name: string }) => entry.node_name);

it('[rule 25] has no master any more when two of three masters die at once', async () => {
  const test = await masters(3);
  test.node('node-2').crash();
  test.node('node-3').crash();
  await test.clock.advance(60_000);
  const answer = await test.get('/_cluster/health?timeout=10s&master_timeout=10s');
  expect(answer.status).toBe(503);
  expect(answer.body.error.type).toBe('master_not_discovered_exception');
});

it('[rule 25] keeps a master when the two were excluded from voting before they died', async () => {
  const test = await masters(3);
  expect((await test.post(`${exclusions}?node_names=node-2,node-3`)).status).toBe(200);
  test.node('node-2').crash();
  test.node('node-3').crash();
  await test.clock.advance(60_000);
  expect((await test.get('/_cat/master?h=node')).text.trim()).toBe('node-1');
});

it('[rule 25] moves a vote only when most of those that vote then respond', async () => {
  const test = await masters(3);
  test.node('node-2').crash({ silently: true });
  // For half a minute it is still a member.
  const refused = await test.post(`${exclusions}?node_names=node-3&timeout=5s`);
  expect([refused.status, refused.body.error?.type]).toEqual([500, 'timeout_exception']);
});

it('[rule 25] moves a vote to another master while one that votes has died unnoticed', async () => {
  const test = await masters(4);
  const voters = async () =>
    (await test.get('/_cluster/state/metadata')).body.metadata.cluster_coordination.last_committed_config as string[];
  const before = await voters();
  const [first, second] = ['node-1', 'node-2', 'node-3', 'node-4']
    .map((name) => test.node(name))
    .filter(({ id }) => before.includes(id) && id !== test.node('node-1').id);
  first!.crash({ silently: true });
  expect((await test.post(`${exclusions}?node_names=${second!.name}&timeout=5s`)).status).toBe(200);
  test.cluster.removeNode(second!);
  await test.clock.advance(60_000);
  expect((await test.get('/_cat/master?h=node')).status).toBe(200);
});

it('[rule 25] a node without a master responds at once with its last state when it is asked for its own', async () => {
  const test = await masters(3);
  const { id } = test.node('node-1');
  const before = (await test.get('/_cluster/state/metadata')).body.metadata.cluster_coordination.last_committed_config;
  test.node('node-2').crash();
  test.node('node-3').crash();
  await test.clock.advance(60_000);
  const askedAt = test.clock.now();
  const { status, body } = await test.get('/_cluster/state/metadata,nodes,master_node,blocks?local=true');
  expect([status, test.clock.now() - askedAt, body.master_node]).toEqual([200, 0, null]);
  expect(body.metadata.cluster_coordination.last_committed_config).toEqual(before);
  expect(body.nodes[id].transport_address).toMatch(/:9300$/);
  expect(body.blocks.global['2'].description).toBe('no master');
});

it('[rule 25] keeps exclusions after the nodes are gone, and clears all of them at once', async () => {
  const test = await masters(4);
  await test.post(`${exclusions}?node_names=node-3`);
  await test.post(`${exclusions}?node_names=node-4`);
  test.cluster.removeNode(test.node('node-3'));
  await test.clock.advance(30 * 86_400_000);
  expect(await excluded(test)).toEqual(['node-3', 'node-4']);

  // One of them is still a member: clearing waits for it, and gives up.
  const refused = await test.delete(exclusions);
  expect(refused.status).toBe(500);
  expect(refused.body.error.type).toBe('timeout_exception');
  expect(await excluded(test)).toEqual(['node-3', 'node-4']);

  expect((await test.delete(`${exclusions}?wait_for_removal=false`)).status).toBe(200);
  expect(await excluded(test)).toEqual([]);
});

it('[rule 25] does not let an excluded node vote when it comes back', async () => {
  const test = await masters(3);
  await test.post(`${exclusions}?node_names=node-3`);
  test.node('node-3').crash();
  await test.clock.advance(60_000);
  test.node('node-3').start();
  await test.clock.advance(60_000);
  const { body } = await test.get('/_cluster/state/metadata');
  expect(body.metadata.cluster_coordination.last_committed_config).not.toContain(test.node('node-3').id);
});

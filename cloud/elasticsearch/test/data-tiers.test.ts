import { expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

const minute = 60_000;
const preference = 'index.routing.allocation.include._tier_preference';

/** A master, two hot and two warm nodes, and an index that prefers warm ones. */
async function ofTiers(preferred: string): Promise<TestCluster> {
  const roles = [['master'], ['data_hot', 'data_content'], ['data_hot', 'data_content'], ['data_warm'], ['data_warm']];
  const test = await TestCluster.formed(roles.length, {}, (at) => ({ roles: roles[at]! }));
  const settings = { number_of_shards: 2, number_of_replicas: 1, [preference]: preferred };
  await test.put('/tiered', { settings });
  await test.clock.advance(minute);
  return test;
}

/** The nodes with copies. */
async function holders(test: TestCluster): Promise<readonly string[]> {
  const copies = (await test.get('/_cat/shards/tiered?format=json&h=node')).body as { node: string | null }[];
  return [...new Set(copies.map(({ node }) => node ?? 'none'))].sort();
}

const leave = async (test: TestCluster, name: string, type: string) => {
  await test.put(`/_nodes/${test.node(name).id}/shutdown`, { type, reason: 'a test' });
  await test.clock.advance(10 * minute);
};

it('copies are on the first tier of the preference that has nodes', async () => {
  expect(await holders(await ofTiers('data_warm,data_hot'))).toEqual(['node-4', 'node-5']);
  expect(await holders(await ofTiers('data_cold,data_hot'))).toEqual(['node-2', 'node-3']);
});

it('copies of a tier whose nodes are all removed go on to the next tier of the preference, and no sooner', async () => {
  const test = await ofTiers('data_warm,data_hot');
  await leave(test, 'node-4', 'remove');
  const second = await holders(test);
  await leave(test, 'node-5', 'remove');

  expect([second, await holders(test)]).toEqual([
    ['node-4', 'node-5'],
    ['node-2', 'node-3'],
  ]);
});

it('a node that restarts is still one of its tier', async () => {
  const test = await ofTiers('data_warm,data_hot');
  for (const name of ['node-4', 'node-5']) await leave(test, name, 'restart');

  expect(await holders(test)).toEqual(['node-4', 'node-5']);
});

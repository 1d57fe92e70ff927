import { expect, it } from 'vitest';
import { crashEverywhere } from './support/crash.ts';
import { restartStories } from './support/crash-stories.ts';
import { minute, SearchWorld } from './support/search-world.ts';

const prepare = 'cluster-cli cluster prepare-restart --reason kernel';
const finish = 'cluster-cli cluster finish-restart';

async function started() {
  const world = await SearchWorld.start({ cron: false });
  await world.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  for (let id = 0; id < 50; id++) await world.search('PUT', `/logs/_doc/${id}`, { text: 'x'.repeat(500) });
  await world.clock.advance(minute);
  return world;
}

it('a restart in place moves no shard and copies no file: the node is back with its id and its data', async () => {
  const world = await started();
  const host = world.inService('search-data')[0]!;
  const node = world.nodeOf(host);
  const held = [...node.copies.values()].map(({ index, shard }) => `${index}/${shard}`).sort();
  const copied = () => world.cluster.services!.recoveries.copiedBytes;
  const before = copied();

  const prepared = await world.run(host, prepare);
  expect(prepared).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('restart of node') });
  expect(node.running).toBe(false);
  expect(await world.records()).toMatchObject([{ node_id: node.id, type: 'RESTART', reason: 'kernel [in place]' }]);
  await world.clock.advance(10 * minute);
  await world.search('PUT', '/logs/_doc/meanwhile', { n: 1 });

  expect(await world.run(host, finish)).toMatchObject({ exitCode: 0 });
  expect(await world.records()).toEqual([]);
  expect(await world.health()).toBe('green');
  expect([...node.copies.values()].map(({ index, shard }) => `${index}/${shard}`).sort()).toEqual(held);
  expect(copied() - before).toBe(0);
});

it('a second node cannot restart in place before the first is back', async () => {
  const world = await started();
  const [first, second] = world.inService('search-data') as [string, string];
  await world.run(first, prepare);
  const refused = await world.run(second, `${prepare} --wait-until-complete 300`);
  expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('restarts first') });
  expect(world.nodeOf(second).running).toBe(true);
  await world.run(first, finish);
  expect((await world.run(second, prepare)).exitCode).toBe(0);
});

it('a node with the only copy of a shard is not stopped unless that was asked for', async () => {
  const world = await started();
  await world.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  const holder = [...world.nodes].find(([, node]) =>
    [...node.copies.values()].some(({ index }) => index === 'solo'),
  )![0];
  expect(await world.run(holder, prepare)).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('refused (no-copy-elsewhere)'),
  });
  expect(await world.records()).toEqual([]);
  expect((await world.run(holder, `${prepare} --allow-unavailable`)).exitCode).toBe(0);
  expect((await world.run(holder, finish)).exitCode).toBe(0);
});

it.each(Object.entries(restartStories))(
  'the restart in place of %s may die at every call: the next run goes on',
  { timeout: 600_000 },
  async (title, story) => {
    const { calls, failures } = await crashEverywhere(`restart of ${title}`, story);

    expect(failures).toEqual([]);
    expect(calls.length).toBeGreaterThan(15);
  },
);

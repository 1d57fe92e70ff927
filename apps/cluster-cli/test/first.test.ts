import { expect, it } from 'vitest';
import { SearchWorld, scheduledDrain } from './support/search-world.ts';

it('starts', async () => {
  const world = await SearchWorld.start();
  expect(await world.health()).toBe('green');
  console.log(
    await world.search('GET', '/_cluster/health'),
    world.runs.filter((r) => r.argv.includes('commission-node')),
  );
  console.log(await world.search('PUT', '/logs', { settings: { number_of_shards: 3, number_of_replicas: 1 } }));
  for (let i = 0; i < 20; i++) await world.search('PUT', `/logs/_doc/${i}`, { n: i });
  await world.clock.advance(60000);
  const id = world.inService('search-data')[0]!;
  await world.terminate(id);
  const t = Date.now();
  console.log(await world.run(id, scheduledDrain.replace('--quiet', '')));
  await world.clock.runUntil(() => world.stateOf(id) === undefined, 3600000);
  console.log(world.members(), await world.records(), await world.health(), Date.now() - t);
});

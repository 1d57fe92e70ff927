import { minute, SearchWorld } from './search-world.ts';

/** An index with copies, and one whose only copy is on the node that goes. */
export async function prepareDrain(
  options: Parameters<typeof SearchWorld.start>[0] = {},
): Promise<{ readonly world: SearchWorld; readonly doomed: string }> {
  const world = await SearchWorld.start({ cron: false, ...options });
  const doomed = world.inService('search-data')[0]!;
  await world.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await world.search('PUT', '/solo', {
    settings: {
      number_of_shards: 1,
      number_of_replicas: 0,
      'index.routing.allocation.require._name': world.nodeOf(doomed).name,
    },
  });
  await world.search('PUT', '/solo/_doc/1?refresh=true', { n: 1 });
  await world.clock.advance(minute);
  await world.search('PUT', '/solo/_settings', { 'index.routing.allocation.require._name': null });
  return { world, doomed };
}

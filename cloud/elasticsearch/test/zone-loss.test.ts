import { describe, expect, it } from 'vitest';
import { TestCluster } from './search-support.ts';

const minute = 60_000;
const attributes = { 'cluster.routing.allocation.awareness.attributes': 'zone' };
const forcing = (zones: readonly string[]) => ({
  'cluster.routing.allocation.awareness.force.zone.values': zones,
});

/** A master, and two data nodes in each zone, as in scripts/elasticsearch/zone-loss.ts. */
async function inZones(count: number, replicas: number, forced: boolean): Promise<TestCluster> {
  const zones = ['a', 'b', 'c'].slice(0, count);
  const test = await TestCluster.formed(1 + 2 * count, { settings: attributes }, (at) =>
    at === 0
      ? { zone: 'm', roles: ['master'], settings: forced ? forcing(zones) : {} }
      : { zone: zones[Math.floor((at - 1) / 2)]!, roles: ['data'] },
  );
  await test.put('/measured', { settings: { number_of_shards: 6, number_of_replicas: replicas } });
  await test.clock.advance(5 * minute);
  return test;
}

/** `green 4+8`: 4 copies are in the first zone, 8 in the others. */
async function seen(test: TestCluster): Promise<string> {
  const { status } = (await test.get('/_cluster/health/measured')).body;
  const shards = (await test.get('/_cat/shards/measured?format=json&h=state,node')).body as {
    state: string;
    node: string | null;
  }[];
  const zones = shards.filter(({ state }) => state === 'STARTED').map(({ node }) => test.node(node!).options.zone);
  const first = zones.filter((zone) => zone === 'a').length;
  return `${status} ${first}+${zones.length - first}`;
}

describe('a lost zone', () => {
  // Results of a real 8.19.21: docs/decisions/0067.
  it.each<[zones: number, replicas: number, forced: boolean, before: string, after: string]>([
    [2, 1, false, 'green 6+6', 'green 0+12'],
    [2, 1, true, 'green 6+6', 'yellow 0+6'],
    [2, 2, false, 'green 9+9', 'yellow 0+12'],
    [2, 2, true, 'green 9+9', 'yellow 0+12'],
    [3, 1, false, 'green 4+8', 'green 0+12'],
    [3, 1, true, 'green 4+8', 'green 0+12'],
    [3, 2, false, 'green 6+12', 'green 0+18'],
    [3, 2, true, 'green 6+12', 'yellow 0+12'],
  ])(
    'a lost zone of %i leaves the copies of %i replicas where a real server builds them, awareness forced: %s',
    async (zones, replicas, forced, before, after) => {
      const test = await inZones(zones, replicas, forced);
      expect(await seen(test)).toBe(before);

      for (const name of ['node-2', 'node-3']) test.node(name).crash();
      await test.clock.advance(10 * minute);

      expect(await seen(test)).toBe(after);
    },
  );

  it('the file of the elected master decides about forced awareness, not that of another node', async () => {
    const test = await TestCluster.formed(4, { settings: attributes }, (at) =>
      at < 2
        ? { roles: ['master'], settings: at === 1 ? forcing(['a', 'b']) : {}, bootMs: at * 5_000 }
        : { roles: ['data'], zone: 'a' },
    );
    await test.put('/measured', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    await test.clock.advance(minute);
    const [{ node: elected }] = (await test.get('/_cat/master?format=json')).body;

    expect([elected, await seen(test)]).toEqual(['node-1', 'green 2+0']);
  });
});

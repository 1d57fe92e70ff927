import type { Random } from '@drover/core';
import { groupNames } from '@drover/core/names/search-cluster';
import { createGroups, DeployedCluster, setGroupSize } from '@drover/stage/cluster';
import { beforeAll, expect, it } from 'vitest';
import { loneIndex, Misfortunes } from './cluster-misfortunes.ts';
import { Mortality } from './cluster-mortality.ts';

const minute = 60_000;
const hour = 60 * minute;
beforeAll(() => DeployedCluster.preload());

/** A small cluster, and misfortunes of one kind only: one at once, the next ones `everyMs` apart. */
async function struckBy(kind: string, everyMs = 0) {
  const deployed = new DeployedCluster({ seed: 3 });
  await createGroups(deployed, { masters: 3, data: 3 });
  await deployed.search('PUT', `/${loneIndex}`, { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await deployed.clock.advance(minute);
  let drawn = 0;
  const random = {
    pick: <T>(all: readonly T[]): T => all.find((one) => Array.isArray(one) && one[0] === kind) ?? all.at(-1)!,
    int: (least: number, most: number) => (least === 0 ? drawn++ * everyMs : most),
    chance: () => false,
  } as unknown as Random;
  return { deployed, misfortunes: new Misfortunes(deployed, random, new Mortality(random)) };
}

it('no second machine dies before the cluster has noticed that the first one is gone', async () => {
  const { deployed, misfortunes } = await struckBy('dead machine', 10_000);

  misfortunes.schedule(2, minute);
  await deployed.clock.advance(25_000);

  expect(misfortunes.told).toHaveLength(1);
});

it('an index whose pinning was refused when the misfortunes end is not pinned by a late retry', async () => {
  const { deployed, misfortunes } = await struckBy('cannot drain');
  const pinned = async () =>
    JSON.stringify(await deployed.search('GET', `/${loneIndex}/_settings`)).includes('require');
  deployed.world.engine.faults.add({ service: 'search', effect: { kind: 'error', status: 503, phase: 'before' } });

  misfortunes.schedule(1, minute);
  await deployed.clock.advance(10_000);
  expect(misfortunes.told).toHaveLength(1);
  deployed.world.engine.faults.clear();
  misfortunes.end();
  await deployed.clock.advance(5 * minute);

  expect(await pinned()).toBe(false);
});

it('a machine that never came up counts as dead: its hook runs out', async () => {
  const { deployed, misfortunes } = await struckBy('failing boots');
  const before = new Set(deployed.inService());
  deployed.world.engine.faults.add({ service: 'machine', operation: 'boot', effect: { kind: 'boot-failure' } });
  await setGroupSize(deployed, groupNames.data(deployed.clusterName), 4);
  await deployed.clock.advance(5 * minute);

  const added = deployed.members().filter(({ id }) => !before.has(id));
  expect(added.map(({ id }) => misfortunes.isDead(id))).toEqual([true]);
  expect([...before].some((id) => misfortunes.isDead(id))).toBe(false);
});

it('while no node has the metadata of its instance the cluster is in trouble, and no longer', async () => {
  const { deployed, misfortunes } = await struckBy('no metadata');

  misfortunes.schedule(1, minute);
  await deployed.clock.advance(29 * minute);
  expect(misfortunes.troubled()).toBe(true);
  await deployed.clock.advance(2 * minute);

  expect(misfortunes.troubled()).toBe(false);
});

it('between two times without metadata nodes have it for ten minutes, so that they can keep their hooks open', async () => {
  const { deployed, misfortunes } = await struckBy('no metadata', 39 * minute);

  misfortunes.schedule(3, 2 * 60 * minute);
  await deployed.clock.advance(77 * minute);
  expect([misfortunes.told.length, misfortunes.troubled()]).toEqual([1, false]);
  await deployed.clock.advance(4 * minute);

  expect([misfortunes.told.length, misfortunes.troubled()]).toEqual([2, true]);
});

it('a disk that was to be filled twice at a time is as empty as before when the misfortunes end', async () => {
  const { deployed, misfortunes } = await struckBy('full disk', 5 * minute);
  const usedByOthers = () => [...deployed.nodes.values()].map(({ otherBytes }) => otherBytes);
  const before = usedByOthers();

  misfortunes.schedule(2, hour);
  await deployed.clock.advance(10 * minute);
  expect(usedByOthers()).not.toEqual(before);
  misfortunes.end();

  expect(usedByOthers()).toEqual(before);
});

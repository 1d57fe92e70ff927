import { expect, it } from 'vitest';
import { lostShardTrouble } from './lost-shards-trouble.ts';
import { openCluster, playClusterTrouble } from './play-trouble.ts';

it('shards that lost both copies come back as the snapshot has them, and healthy ones keep every document', async () => {
  const stage = await openCluster(5, lostShardTrouble.inputs);
  const printed: string[] = [];
  const trouble = {
    ...lostShardTrouble,
    remedy: (on: typeof stage, fix: string) => {
      printed.push(fix);
      return lostShardTrouble.remedy!(on, fix);
    },
  };

  expect((await playClusterTrouble(trouble, stage)).violations).toEqual([]);
  expect(printed.map((fix) => /--index (\S+)/.exec(fix)?.[1])).toEqual(expect.arrayContaining(['events', 'logs-app']));
}, 120_000);

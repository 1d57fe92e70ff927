import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { type FaultTool, faultTools } from '../page/tools.ts';
import { SeenWorld } from './seen-world.ts';

const minute = 60_000;
const chromium = outsideClient('chromium', 'apt-get install chromium');
const played = [
  'break a busy instance',
  'hang a busy instance',
  'fill the disk of an instance',
  'platform-down',
  'lose a zone',
  'cut a data node off',
];

describe.skipIf(chromium.missing)(`the page in a real browser ${chromium.reason ?? ''}`.trim(), () => {
  let seen: SeenWorld;

  beforeAll(async () => {
    seen = await SeenWorld.open('page', chromium.path);
  }, 500_000);

  afterAll(() => seen?.close());

  it.each(played)(
    '%s: cells, cards, pills and chart show what machines and engine say, before, after ten seconds and ten minutes, and healed',
    async (name) => {
      const tool: FaultTool = faultTools.find((one) => one.name === name)!;
      const { local, control } = seen.deployed;
      const { queue } = local.fleet.codeHost.registry;
      await control('queue-jobs', { count: 3, minutes: 30 });
      await local.clock.runUntil(() => queue.jobs.filter((job) => job.state === 'running').length >= 3, 40 * minute);
      const found = [...(await seen.untrue('before'))];
      await tool.strike(seen.deployed);
      await local.clock.advance(9_000);
      found.push(...(await seen.untrue('after 10 s')));
      await local.clock.advance(10 * minute);
      found.push(...(await seen.untrue('after 10 min')));
      await tool.heal?.(seen.deployed);
      await seen.healed();
      found.push(...(await seen.untrue('healed')));
      expect(found).toEqual([]);
    },
    600_000,
  );
});

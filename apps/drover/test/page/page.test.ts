import { expect, it } from 'vitest';
import { controlCases, playControl } from './controls.ts';
import { playPage } from './play.ts';
import { faultTools } from './tools.ts';

/** All tools, moments and modes, the console of an account, and how each incident ends: `npm run campaign -- --scenario page`. */
it('a broken, a hung and a full machine, a node that is cut off and an outage of GitHub: the page of drover local shows what machines and engine say', async () => {
  const names = [
    'break a busy instance',
    'hang a busy instance',
    'fill the disk of an instance',
    'cut a data node off',
    'platform-down',
  ];
  const tools = names.map((name) => faultTools.find((tool) => tool.name === name)!);
  const moments = ['before', 'after 10 s'] as const;
  const played = await playPage({ name: 'reduced', tools, mode: 'idle', account: false, moments });
  expect(played.violations).toEqual([]);
  expect(played.checks).toBeGreaterThan(100);
}, 300_000);

/** All of them: `npm run campaign -- --scenario doctor`. */
it.each(
  controlCases.filter(({ row, mode }) =>
    (process.env.DROVER_THOROUGH === '1'
      ? ['cut a data node off, idle', 'platform-down, jobs']
      : ['platform-down, jobs']
    ).includes(`${row.what}, ${mode}`),
  ),
)(
  '$row.what in $mode mode: both doctors name it within ten minutes, and find nothing wrong once it is mended',
  async ({ row, mode }) => {
    expect((await playControl(row, mode)).violations).toEqual([]);
  },
  300_000,
);

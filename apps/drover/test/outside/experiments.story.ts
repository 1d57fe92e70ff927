import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { type Expected, IncidentTruth } from '../page/incident-truth.ts';
import { faultTools } from '../page/tools.ts';
import { violationsOn } from './console/axe.ts';
import { laptop } from './console/driver.ts';
import { SeenWorld } from './seen-world.ts';

const minute = 60_000;
const chromium = outsideClient('chromium', 'apt-get install chromium');
const [fleet, master, data] = ['runners', 'search', 'search-data'] as const;

type Act = (world: SeenWorld) => Promise<Expected>;

/** An act, or the end of one, and the time that passes after it. */
interface Step {
  readonly act?: Act;
  /** Something that belongs to an incident that is open. */
  readonly end?: (world: SeenWorld) => Promise<void>;
  readonly minutes: number;
}

interface Experiment {
  readonly title: string;
  /** Played with `DROVER_EXPERIMENTS=all` only: it takes long, or is part of another one. */
  readonly onlyWithAll?: boolean;
  readonly steps: readonly Step[];
  /** How its incidents may end, the first first. */
  readonly verdicts: readonly RegExp[];
}

const tool =
  (name: string): Act =>
  ({ deployed }) =>
    faultTools.find((one) => one.name === name)!.strike(deployed);

const loseZone =
  (zone: string): Act =>
  async ({ deployed }) => {
    await deployed.control('lose-zone', { zone, lost: true });
    return { title: new RegExp(`^Zone ${zone} is lost`), groups: [fleet, master, data], cluster: true };
  };
const bringBack = (zone: string) => (world: SeenWorld) => world.deployed.control('lose-zone', { zone, lost: false });

/** A branch from before an incident is played by the story of the console, whose world is a process that can replay. */
const experiments: readonly Experiment[] = [
  {
    title: 'GitHub is away for 24 minutes while jobs of 20 minutes run, and a busy host is terminated',
    steps: [
      { act: tool('platform-down'), minutes: 1 },
      { act: tool('terminate a busy instance'), minutes: 23 },
      { end: ({ deployed }) => deployed.control('platform-down', { on: false }), minutes: 1 },
    ],
    verdicts: [/^fair$/, /^(good|fair)$/],
  },
  {
    title: 'a zone is lost and comes back',
    onlyWithAll: true,
    steps: [
      { act: loseZone('eu-west-1a'), minutes: 30 },
      { end: bringBack('eu-west-1a'), minutes: 1 },
    ],
    verdicts: [/^(good|fair)$/],
  },
  {
    title: 'two zones are lost one after the other, each when the one before is back',
    steps: [
      { act: loseZone('eu-west-1b'), minutes: 20 },
      { end: bringBack('eu-west-1b'), minutes: 45 },
      { act: loseZone('eu-west-1c'), minutes: 20 },
      { end: bringBack('eu-west-1c'), minutes: 1 },
    ],
    verdicts: [/^(good|fair)$/, /^(good|fair)$/],
  },
  {
    title: 'the data nodes are replaced by an instance refresh',
    steps: [
      {
        act: async ({ deployed }) => {
          await deployed.control('start-refresh', { group: data });
          return { title: /instance refresh of search-data/, groups: [data], cluster: true, replaces: true };
        },
        minutes: 10,
      },
    ],
    verdicts: [/^good$/],
  },
  {
    title: 'the disks of a runner and of a data node are full',
    steps: [
      { act: tool('fill the disk of an instance'), minutes: 2 },
      { act: tool('fill the disk of a data node'), minutes: 10 },
      { end: (world) => faultTools.at(-1)!.heal!(world.deployed), minutes: 1 },
    ],
    verdicts: [/^(good|fair)$/, /^good$/],
  },
  {
    title: 'the fleet changes to jobs mode, and fifty jobs come at once',
    onlyWithAll: true,
    steps: [
      {
        act: async ({ deployed }) => {
          await deployed.control('change-inputs', { mode: 'jobs', maxSize: 20 });
          return { title: /scaling mode jobs/, groups: [fleet] };
        },
        minutes: 30,
      },
      {
        act: async ({ deployed }) => {
          await deployed.control('queue-jobs', { count: 50, minutes: 10 });
          return { title: /^You queued 50 jobs/, groups: [fleet] };
        },
        minutes: 15,
      },
    ],
    verdicts: [/^good$/, /^good$/],
  },
];

describe.skipIf(chromium.missing)(`experiments on the page ${chromium.reason ?? ''}`.trim(), () => {
  let seen: SeenWorld;

  beforeAll(async () => {
    seen = await SeenWorld.open('experiments', chromium.path);
  }, 500_000);

  afterAll(() => seen?.close());

  /** On the smallest screen in light and the largest in dark, or the other way round. */
  async function complaints(moment: string, isOdd: boolean): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [colorScheme, width] of [
      [isOdd ? 'dark' : 'light', 320],
      [isOdd ? 'light' : 'dark', 1920],
    ] as const) {
      await seen.page.emulateMedia({ colorScheme });
      await seen.page.setViewportSize({ width, height: 900 });
      // The chart follows a moment later.
      await seen.page.waitForFunction('document.documentElement.scrollWidth <= innerWidth').catch(() => undefined);
      const wide = await seen.page.evaluate<number>('document.documentElement.scrollWidth');
      const wrong = [...(await violationsOn(seen.page)), ...(wide > width ? [`${wide} px wide`] : [])];
      found.push(...wrong.map((text) => `${moment}, ${colorScheme}, ${width} px: ${text}`));
    }
    await seen.page.emulateMedia({ colorScheme: 'light' });
    await seen.page.setViewportSize(laptop);
    return found;
  }

  it.each(experiments.filter(({ onlyWithAll = false }) => !onlyWithAll || process.env.DROVER_EXPERIMENTS === 'all'))(
    '$title: the page shows what machines and engine say, axe finds nothing, and each incident ends as it should',
    async ({ steps, verdicts }) => {
      const { local, control } = seen.deployed;
      const { queue } = local.fleet.codeHost.registry;
      await control('queue-jobs', { count: 3, minutes: 20 });
      await local.clock.runUntil(() => queue.jobs.filter((job) => job.state === 'running').length >= 3, 40 * minute);
      const found: string[] = [];
      const incidents: { readonly truth: IncidentTruth; readonly expected: Expected }[] = [];
      for (const [index, { act, end, minutes }] of steps.entries()) {
        const truth = new IncidentTruth(local);
        if (act !== undefined) incidents.push({ truth, expected: await act(seen) });
        await end?.(seen);
        await local.clock.advance(9_000);
        found.push(...(await seen.untrue(`ten seconds after step ${index + 1}`)));
        if (act !== undefined) found.push(...(await complaints(`step ${index + 1}`, index % 2 === 1)));
        await local.clock.advance((minutes - 1) * minute);
        found.push(...(await seen.untrue(`at the end of step ${index + 1}`)));
      }
      await seen.healed();
      found.push(...(await seen.untrue('in the end')));
      found.push(...incidents.flatMap(({ truth, expected }) => truth.judge(expected)));
      expect(found).toEqual([]);
      const ended = incidents.map(({ expected }) =>
        local.watch.incidents.newestFirst.find(({ title }) => expected.title.test(title)),
      );
      expect(ended.map((incident) => incident?.verdict.state)).toEqual(
        verdicts.map((verdict) => expect.stringMatching(verdict)),
      );
    },
    900_000,
  );
});

import { EventEmitter, once } from 'node:events';
import { noWhatIf } from '@drover/observation/account/console';
import type { Observation } from '@drover/observation/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { carryOut } from '../../../../packages/local/src/local/controls.ts';
import { deployWorld, exampleDeployment } from '../../../../packages/local/test/local-world.test-support.ts';
import { openConsole } from '../../../../packages/observation/src/http/open-console.ts';
import { pageFiles } from '../../../../packages/observation/src/http/page-files.ts';
import { consoleServer } from '../../../../packages/observation/src/http/server.ts';
import { shownOn } from '../page/dom.ts';
import { type Deployed, type FaultTool, faultTools } from '../page/tools.ts';
import { JournalTruth, layersOf, truthOf } from '../page/truth.ts';
import { type Browser, launchBrowser, type Page } from './browser.ts';
import { laptop } from './console/driver.ts';
import { freePort } from './local-process.ts';

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
  const news = new EventEmitter().setMaxListeners(0);
  let deployed: Deployed;
  let journal: JournalTruth;
  let server: { close(): Promise<void> };
  let browser: Browser;
  let page: Page;
  let state: Observation;

  beforeAll(async () => {
    const choices = { onDemandBaseCapacity: 1 };
    deployed = await deployWorld(await exampleDeployment(choices), { seed: 'page', choices });
    const { local } = deployed;
    journal = new JournalTruth(local);
    state = await local.readState(true);
    const port = await freePort();
    const backend = {
      state: async () => state,
      nextState: async (signal: AbortSignal) => void (await once(news, 'read', { signal })),
      control: (...[name, input]: [Parameters<typeof carryOut>[1], never]) => carryOut(local, name, input),
      lifeOf: (id: string) => local.lifeOf(id),
      whatIf: noWhatIf('not here'),
    };
    server = await openConsole(port, consoleServer(backend, pageFiles()));
    browser = await launchBrowser(chromium.path);
    page = await browser.newPage({ viewport: laptop });
    await page.goto(`http://127.0.0.1:${port}`);
    await page.getByText('Fleet runners').waitFor();
  }, 500_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Values on the page that are not so. */
  async function untrue(moment: string): Promise<readonly string[]> {
    const { local } = deployed;
    // The chart has a value each minute: this moment is that of the next.
    const { history } = (await local.readState(false)).fleet;
    const untilNext = history.at(-1)!.at + minute - local.clock.now();
    let layers: Readonly<Record<string, number>> = {};
    local.clock.after(untilNext, () => {
      layers = layersOf(local);
    });
    await local.clock.advance(untilNext + 1);
    state = await local.readState(true);
    const truth = new Map(truthOf(local, journal, 'world'));
    truth.set('alarms on', String((JSON.parse(truth.get('alarms') ?? '[]') as unknown[]).length));
    for (const [layer, value] of Object.entries(layers)) truth.set(`chart ${layer}`, String(value));
    news.emit('read');
    const differ = async () =>
      [...(await shownOn(page))]
        .filter(([name, value]) => truth.get(name) !== value)
        .map(([name, value]) => `${moment}: ${name} is ${value} on the page, not ${truth.get(name)}`);
    // It draws when it has the newest state.
    for (let looks = 0; looks < 50 && (await differ()).length > 0; looks++) await page.waitForTimeout(100);
    return await differ();
  }

  async function healed(): Promise<void> {
    const { clock, watch } = deployed.local;
    for (let waited = 0; waited < 360; waited++) {
      if (watch.incidents.newestFirst.every(({ endedAt }) => endedAt !== undefined)) return;
      await clock.advance(minute);
    }
  }

  it.each(played)(
    '%s: cells, cards, pills and chart show what machines and engine say, before, after ten seconds and ten minutes, and healed',
    async (name) => {
      const tool: FaultTool = faultTools.find((one) => one.name === name)!;
      const { local, control } = deployed;
      const { queue } = local.fleet.codeHost.registry;
      await control('queue-jobs', { count: 3, minutes: 30 });
      await local.clock.runUntil(() => queue.jobs.filter((job) => job.state === 'running').length >= 3, 40 * minute);
      const found = [...(await untrue('before'))];
      await tool.strike(deployed);
      await local.clock.advance(9_000);
      found.push(...(await untrue('after 10 s')));
      await local.clock.advance(10 * minute);
      found.push(...(await untrue('after 10 min')));
      await tool.heal?.(deployed);
      await healed();
      found.push(...(await untrue('healed')));
      expect(found).toEqual([]);
    },
    600_000,
  );
});

import { EventEmitter, once } from 'node:events';
import { noWhatIf } from '@drover/observation/account/console';
import type { Observation } from '@drover/observation/api';
import { carryOut } from '../../../../packages/local/src/local/controls.ts';
import { deployWorld, exampleDeployment } from '../../../../packages/local/test/local-world.test-support.ts';
import { openConsole } from '../../../../packages/observation/src/http/open-console.ts';
import { pageFiles } from '../../../../packages/observation/src/http/page-files.ts';
import { consoleServer } from '../../../../packages/observation/src/http/server.ts';
import { shownOn } from '../page/dom.ts';
import type { Deployed } from '../page/tools.ts';
import { JournalTruth, layersOf, truthOf } from '../page/truth.ts';
import { type Browser, launchBrowser, type Page } from './browser.ts';
import { laptop } from './console/driver.ts';
import { freePort } from './local-process.ts';

const minute = 60_000;

/** A world whose time passes only as a test wants, and its page in a browser. */
export class SeenWorld {
  readonly deployed: Deployed;
  readonly page: Page;
  readonly #browser: Browser;
  readonly #server: { close(): Promise<void> };
  readonly #journal: JournalTruth;
  readonly #show: (state: Observation) => void;

  private constructor(
    deployed: Deployed,
    browser: Browser,
    page: Page,
    server: { close(): Promise<void> },
    show: (state: Observation) => void,
  ) {
    this.deployed = deployed;
    this.page = page;
    this.#browser = browser;
    this.#server = server;
    this.#journal = new JournalTruth(deployed.local);
    this.#show = show;
  }

  static async open(seed: string, browserPath: string): Promise<SeenWorld> {
    const choices = { onDemandBaseCapacity: 1 };
    const deployed = await deployWorld(await exampleDeployment(choices), { seed, choices });
    const { local } = deployed;
    const news = new EventEmitter().setMaxListeners(0);
    let state = await local.readState(true);
    const backend = {
      state: async () => state,
      nextState: async (signal: AbortSignal) => void (await once(news, 'read', { signal })),
      control: (...[name, input]: [Parameters<typeof carryOut>[1], never]) => carryOut(local, name, input),
      lifeOf: (id: string) => local.lifeOf(id),
      whatIf: noWhatIf('not here'),
    };
    const port = await freePort();
    const server = await openConsole(port, consoleServer(backend, pageFiles()));
    const browser = await launchBrowser(browserPath);
    const page = await browser.newPage({ viewport: laptop });
    await page.goto(`http://127.0.0.1:${port}`);
    await page.getByText('Fleet runners').waitFor();
    return new SeenWorld(deployed, browser, page, server, (next) => {
      state = next;
      news.emit('read');
    });
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }

  /** Values on the page that are not so. */
  async untrue(moment: string): Promise<readonly string[]> {
    const { local } = this.deployed;
    // The chart has a value each minute: this moment is that of the next.
    const { history } = (await local.readState(false)).fleet;
    const untilNext = history.at(-1)!.at + minute - local.clock.now();
    let layers: Readonly<Record<string, number>> = {};
    local.clock.after(untilNext, () => {
      layers = layersOf(local);
    });
    await local.clock.advance(untilNext + 1);
    const state = await local.readState(true);
    const truth = new Map(truthOf(local, this.#journal, 'world'));
    truth.set('alarms on', String((JSON.parse(truth.get('alarms') ?? '[]') as unknown[]).length));
    for (const [layer, value] of Object.entries(layers)) truth.set(`chart ${layer}`, String(value));
    this.#show(state);
    const differ = async () =>
      [...(await shownOn(this.page))]
        .filter(([name, value]) => truth.get(name) !== value)
        .map(([name, value]) => `${moment}: ${name} is ${value} on the page, not ${truth.get(name)}`);
    // It draws when it has the newest state.
    for (let looks = 0; looks < 50 && (await differ()).length > 0; looks++) await this.page.waitForTimeout(100);
    return await differ();
  }

  /** Passes time until no incident is open, at most six hours. */
  async healed(): Promise<void> {
    const { clock, watch } = this.deployed.local;
    for (let waited = 0; waited < 360; waited++) {
      if (watch.incidents.newestFirst.every(({ endedAt }) => endedAt !== undefined)) return;
      await clock.advance(minute);
    }
  }
}

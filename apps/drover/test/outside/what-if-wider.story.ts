import { once } from 'node:events';
import { noWhatIf } from '@drover/observation/account/console';
import type { WhatIfRequest, WhatIfRun } from '@drover/observation/api';
import { describe, expect, it } from 'vitest';
import { consoleState } from '../../../../bench/console/state.ts';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { openConsole } from '../../../../packages/observation/src/http/open-console.ts';
import { pageFiles } from '../../../../packages/observation/src/http/page-files.ts';
import { consoleServer } from '../../../../packages/observation/src/http/server.ts';
import { launchBrowser } from './browser.ts';
import { laptop } from './console/driver.ts';
import { freePort } from './local-process.ts';

const chromium = outsideClient('chromium', 'apt-get install chromium');

const asked: WhatIfRequest = {
  idleTargets: [1, 2],
  maxSizes: [8],
  modes: ['idle'],
  jobs: { kind: 'week' },
  hours: 6,
  maxWaitSeconds: 60,
};
const name = 'idle mode, idle target 2, max 8';

/** A result in which nothing is good enough, and the best one reached its maximum. */
const answered: WhatIfRun = {
  id: 1,
  title: 'sample week',
  state: 'done',
  percent: 100,
  notes: [],
  configurations: { [name]: { idleTarget: 2, maxSize: 8, mode: 'idle' } },
  deployed: name,
  maxWaitSeconds: 60,
  asked,
  report: {
    title: 'sample week',
    trace: { jobs: 40, from: '2026-01-05T02:00:00Z', to: '2026-01-05T08:00:00Z', waitSeconds: undefined },
    prices: { currency: 'USD', region: 'us-east-1', date: '2026-06' },
    hosted: undefined,
    cheapest: null,
    because: [`Because even with ${name}, 95 of 100 jobs wait up to 10.0 min.`],
    paretoFront: [name],
    configurations: [
      {
        name,
        waitSeconds: { p50: 60, p95: 600, p99: 700, max: 900 },
        jobs: { lost: 0, unfinished: 0 },
        runnerHours: { total: 20 },
        peakRunners: 8,
        idleShare: 0.5,
        cost: { total: 1 },
      },
    ],
  },
};

describe.skipIf(chromium.missing)(`what-if in a real browser ${chromium.reason ?? ''}`.trim(), () => {
  it('where no configuration is good enough, a button of what-if asks the same with twice the maximum', async () => {
    const started: WhatIfRequest[] = [];
    const runs = [answered];
    const whatIf = {
      ...noWhatIf(''),
      state: () => ({
        refused: undefined,
        inputs: { idleTarget: 2, maxSize: 8, mode: 'idle' as const, text: '' },
        runs: runs.map((run) => ({ ...run, report: undefined })),
      }),
      run: (id: number) => runs.find((run) => run.id === id),
      start: (request: WhatIfRequest) => {
        started.push(request);
        const run: WhatIfRun = { ...answered, id: 2, state: 'running', percent: 0, report: undefined };
        runs.unshift(run);
        return run;
      },
    };
    const backend = {
      state: async () => consoleState({ instances: 2, shards: 0, dataNodes: 0 }, 1),
      nextState: async (signal: AbortSignal) => void (await once(signal, 'abort')),
      control: async () => {},
      lifeOf: () => [],
      whatIf,
    };
    const port = await freePort();
    const server = await openConsole(port, consoleServer(backend, pageFiles()));
    const browser = await launchBrowser(chromium.path);
    try {
      const page = await browser.newPage({ viewport: laptop });
      await page.goto(`http://127.0.0.1:${port}/#/what-if/1`);
      await page.getByRole('button', { name: 'Try max 16' }).click();
      await page.waitForFunction("location.hash === '#/what-if/2'");
      expect(started).toEqual([{ ...asked, maxSizes: [16] }]);
      await page.getByText('Preparing the configurations…').waitFor();
    } finally {
      await browser.close();
      await server.close();
    }
  });
});

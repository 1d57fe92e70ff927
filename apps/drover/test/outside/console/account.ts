import { expect, it } from 'vitest';
import { freePort } from '../local-process.ts';
import { violationsOn } from './axe.ts';
import { type ConsoleDriver, laptop, patienceMs, views } from './driver.ts';
import type { Services } from './services.ts';

/** The console of an account, which here is the same world over HTTP. */
export function accountCases(ui: ConsoleDriver, services: Services): void {
  it('drover console shows the same stack without any tool, and axe reports no violation', async () => {
    const port = await freePort();
    const stop = await ui.local.serve('console', '--stack', 'drover-local', '--port', String(port));
    const context = await ui.browser.newContext({ viewport: laptop });
    const other = await context.newPage();
    const complaints: string[] = [];
    other.on('pageerror', (error) => complaints.push(error.message));
    other.on('request', (request) => {
      if (!request.url().startsWith(`http://127.0.0.1:${port}/`)) complaints.push(`a request to ${request.url()}`);
    });
    try {
      await other.goto(`http://127.0.0.1:${port}/#/scene`);
      await other.getByText('Fleet runners').waitFor({ timeout: patienceMs });
      await other.getByText(/[1-9] desired/).waitFor({ timeout: patienceMs });
      await other.locator('.place.green').waitFor({ timeout: patienceMs });
      const [instance] = await services.inService('runners');
      const [node] = await services.inService('search-data');
      await other.locator(`[data-instance="${instance}"]`).waitFor({ timeout: patienceMs });
      await other.locator(`[data-instance="${node}"]`).waitFor({ timeout: patienceMs });
      for (const address of [...Object.values(views), `scene/instance/${instance}`, `scene/node/${node}`]) {
        await other.goto(`http://127.0.0.1:${port}/#/${address}`);
        await other.getByText('This console only reads').waitFor();
        const controls = await other
          .locator('button:visible, select:visible')
          .evaluateAll((all) => all.map((one) => one.textContent ?? ''));
        expect(
          controls.filter(
            (name) =>
              !/^(Find|\?|Replay \d+|a sample week|all$|waiting|running|completed|lost|trouble|change|acts and faults)/.test(
                name,
              ),
          ),
        ).toEqual([]);
        expect(await violationsOn(other), address).toEqual([]);
      }
      expect((await fetch(`http://127.0.0.1:${port}/api/controls/clock`, { method: 'POST' })).status).not.toBe(204);
      await other.goto(`http://127.0.0.1:${port}/#/what-if`);
      await other.getByText('Deployed: idle mode').waitFor();
      await other.getByLabel('Idle targets').fill('1');
      await other.getByLabel('Maximum sizes').fill('4');
      await other.getByLabel('First hours').fill('2');
      await other.getByLabel('Scale on waiting jobs').uncheck();
      await other.getByRole('button', { name: 'Replay 1 configuration' }).click();
      await other.locator('.answer').waitFor({ timeout: patienceMs });
      expect(await other.getByRole('button', { name: 'Deploy these inputs' }).count()).toBe(0);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
      expect(await stop()).toBe(0);
    }
  }, 900_000);
}

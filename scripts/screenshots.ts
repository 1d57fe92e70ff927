/** Makes the pictures of the documentation by a real run: `npm run screenshots` writes `docs/images/console-*.png`. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../apps/drover/test/outside/browser.ts';
import { LocalProcess, root } from '../apps/drover/test/outside/local-process.ts';
import { buildAll } from './build/all.ts';
import ownTemporaryFolder from './test/temporary-folder.ts';

const folder = join(root, 'docs/images');
const viewport = { width: 1200, height: 900 };

ownTemporaryFolder();
await buildAll();
mkdirSync(folder, { recursive: true });
const local = await LocalProcess.start('--seed', 'screenshots', '--jobs-per-hour', '30');
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(300_000);
  await page.goto(local.url);
  await page.getByLabel('Speed').selectOption('300');
  await page.getByLabel('Jobs').fill('6');
  await page.getByRole('button', { name: 'Queue jobs' }).click();
  await page.locator('.tile.busy').nth(3).waitFor();
  await page.getByLabel('Speed').selectOption('60');
  await picture('fleet');
  await page.goto(`${local.url}/#cluster`);
  await page
    .getByRole('button', { name: /^Replace / })
    .first()
    .click();
  await page.locator('.drain').first().waitFor();
  await picture('cluster');
  await page.goto(`${local.url}/#events`);
  await page.locator('main table tbody tr').nth(9).waitFor();
  await picture('events');

  /** The clock is paused, so that light and dark show the same. */
  async function picture(view: string): Promise<void> {
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const path = join(folder, `console-${view}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
      console.log(`${path} ${Math.round(statSync(path).size / 1024)} KiB`);
    }
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
  }
} finally {
  await browser.close();
  await local.stop();
}

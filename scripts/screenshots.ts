/** Makes the pictures of the documentation by a real run: `npm run screenshots` writes `docs/images/console-*.png`. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../apps/drover/test/outside/browser.ts';
import { LocalProcess, root } from '../apps/drover/test/outside/local-process.ts';
import { buildAll } from './build/all.ts';
import ownTemporaryFolder from './test/temporary-folder.ts';

const folder = join(root, 'docs/images');
const viewport = { width: 1440, height: 900 };

ownTemporaryFolder();
await buildAll();
mkdirSync(folder, { recursive: true });
const local = await LocalProcess.start('--seed', 'screenshots', '--jobs-per-hour', '30');
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(300_000);
  await page.goto(local.url);
  await speed(300);
  await page.getByLabel('Jobs', { exact: true }).fill('6');
  await page.getByRole('button', { name: 'Queue jobs' }).click();
  await page.locator('.cell.busy[data-instance]').nth(3).waitFor();
  await picture('scene');

  await page.locator('.cell.busy[data-instance]').first().click();
  await page.getByRole('button', { name: /^Terminate / }).click();
  await page.getByRole('button', { name: 'Terminate now' }).click();
  await page.locator('.incident.good', { hasText: 'You terminated' }).waitFor();
  await picture('terminated');

  await page.goto(`${local.url}/#/scene`);
  await page.getByRole('button', { name: 'Lose eu-west-1a' }).click();
  await page.getByText('The cluster is yellow').first().waitFor();
  await page.locator('.cell.booting[data-instance]').first().waitFor();
  await picture('zone-lost');
  await page.getByRole('button', { name: 'Bring eu-west-1a back' }).click();
  await speed(900);
  await page.locator('.incident:not(.open)', { hasText: 'eu-west-1a is lost' }).waitFor();

  await page.goto(`${local.url}/#/shards`);
  await page.getByRole('button', { name: 'Refresh search-data' }).click();
  await speed(60);
  await page.locator('.copy.moving').nth(3).waitFor();
  await picture('shards');

  async function speed(factor: number): Promise<void> {
    await page.getByLabel('Speed').selectOption(String(factor));
  }

  /** Slowly enough that light and dark show the same. */
  async function picture(view: string): Promise<void> {
    await speed(1);
    await page.locator('.toast.shown').waitFor({ state: 'detached' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const path = join(folder, `console-${view}-${colorScheme}.png`);
      await page.screenshot({ path });
      console.log(`${path} ${Math.round(statSync(path).size / 1024)} KiB`);
    }
    await speed(300);
  }
} finally {
  await browser.close();
  await local.stop();
}

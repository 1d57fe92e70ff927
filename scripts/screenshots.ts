/**
 * Makes the pictures of the documentation by a real run: `npm run screenshots` writes `docs/images/console-*`, and
 * `npm run screenshots -- scene branch` only these.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../apps/drover/test/outside/browser.ts';
import { LocalProcess, root } from '../apps/drover/test/outside/local-process.ts';
import { buildAll } from './build/all.ts';
import { animatedWebp, type Frame } from './pictures/animated-webp.ts';
import ownTemporaryFolder from './test/temporary-folder.ts';

const folder = join(root, 'docs/images');
const viewport = { width: 1440, height: 900 };
/** Small enough for a recording of at most 3 MB. */
const recorded = { width: 1100, height: 720 };
const mostBytes = 3 * 1024 ** 2;
const named = process.argv.slice(2);

ownTemporaryFolder();
await buildAll();
mkdirSync(folder, { recursive: true });
const local = await LocalProcess.start('--seed', 'screenshots', '--jobs-per-hour', '30');
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport });
  // A busy machine may need a while for what-if.
  page.setDefaultTimeout(1_800_000);
  await page.goto(local.url);
  await speed(300);
  await page.locator('.time-bar').waitFor();
  const scenes = {
    scene,
    'github-down': gitHubDown,
    'zone-lost': recordZoneLoss,
    'two-zones': twoZones,
    refresh,
    'full-disks': fullDisks,
    'jobs-mode': jobsMode,
    'what-if': whatIf,
    branch,
  };
  for (const [name, make] of Object.entries(scenes)) if (named.length === 0 || named.includes(name)) await make();

  async function scene(): Promise<void> {
    await page.getByLabel('Jobs', { exact: true }).fill('6');
    await page.getByRole('button', { name: 'Queue jobs' }).click();
    await page.locator('.cell.busy[data-instance]').nth(3).waitFor();
    await picture('scene');
  }

  /** A busy instance is terminated and finishes its job before it goes; then GitHub is down for a while. */
  async function gitHubDown(): Promise<void> {
    await page.locator('.cell.busy[data-instance]').first().click();
    await page.getByRole('button', { name: /^Terminate / }).click();
    await page.getByRole('button', { name: 'Terminate now' }).click();
    await page.locator('.incident.good', { hasText: 'You terminated' }).waitFor();
    await page.goto(`${local.url}/#/scene`);
    await page.getByRole('button', { name: 'Take GitHub down' }).click();
    // The steps are folded: they are there before they are seen.
    await page.locator('.incident.open .story li').nth(3).waitFor({ state: 'attached' });
    await page.locator('.incident.open .steps summary').click();
    await page.locator('.incident.open .story li').nth(3).waitFor();
    await picture('github-down');
    await page.getByRole('button', { name: 'Bring GitHub back' }).click();
    await page.locator('.incident:not(.open)', { hasText: 'GitHub is down' }).waitFor();
  }

  async function press(name: string | RegExp): Promise<void> {
    await page.getByRole('button', { name }).first().click();
  }

  async function ended(incident: string): Promise<void> {
    await page.locator('.incident:not(.open)', { hasText: incident }).first().waitFor();
  }

  /** One zone is back when the next is lost. */
  async function twoZones(): Promise<void> {
    await page.goto(`${local.url}/#/scene`);
    await press('Lose eu-west-1b');
    await page.locator('.incident.open', { hasText: 'eu-west-1b is lost' }).waitFor();
    await press('Bring eu-west-1b back');
    await ended('eu-west-1b is lost');
    await press('Lose eu-west-1c');
    await page.locator('.cell.trouble[data-instance]').first().waitFor();
    await picture('two-zones');
    await press('Bring eu-west-1c back');
    await ended('eu-west-1c is lost');
  }

  async function refresh(): Promise<void> {
    await page.goto(`${local.url}/#/scene`);
    await press('Refresh search-data');
    await page.locator('.shard.moving').first().waitFor();
    await picture('refresh');
    await ended('refresh of search-data');
  }

  async function fullDisks(): Promise<void> {
    for (const thing of ['.cell.idle[data-instance]', '.node:has-text("data")']) {
      await page.goto(`${local.url}/#/scene`);
      await page.locator(thing).first().click();
      await press(/^Fill disk of /);
      await press(/ now$/);
      await page.getByRole('status').filter({ hasText: 'is full.' }).waitFor();
    }
    await page.goto(`${local.url}/#/scene`);
    await page.locator('.shard.moving').first().waitFor();
    await picture('full-disks');
  }

  async function jobsMode(): Promise<void> {
    await page.getByLabel('Scales on').selectOption('jobs');
    await press('Deploy inputs');
    await ended('scaling mode jobs');
    await page.getByLabel('Jobs', { exact: true }).fill('50');
    await press('Queue jobs');
    await page.locator('.cell.busy[data-instance]').nth(5).waitFor();
    await picture('jobs-mode');
  }

  async function whatIf(): Promise<void> {
    await page.goto(`${local.url}/#/what-if`);
    await page.getByLabel('Idle targets').fill('1, 2');
    await page.getByLabel('First hours').fill('8');
    await page.getByLabel('Acceptable p95 wait, seconds').fill('240');
    await page.getByRole('button', { name: /^Replay / }).click();
    await speed(1);
    await page.locator('.picture img').waitFor();
    // High enough for waits against cost.
    await page.setViewportSize({ ...viewport, height: 1700 });
    await picture('what-if');
    await page.setViewportSize(viewport);
  }

  /** Back to the beginning, to another timeline. */
  async function branch(): Promise<void> {
    await page.goto(`${local.url}/#/scene`);
    await page.getByLabel('Moment', { exact: true }).focus();
    await page.keyboard.press('Home');
    await page.getByText(/^You see /).waitFor();
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Branch from here' }).click();
    await page.locator('.course.branch').waitFor();
    await picture('branch');
  }

  /** A zone is lost and comes back, a picture each 400 ms, shown a little faster. */
  async function recordZoneLoss(): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const frames: Frame[] = [];
    const record = async (pictures: number) => {
      for (let made = 0; made < pictures; made++) {
        const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 40 });
        frames.push({ file: Buffer.from(data, 'base64'), ms: 250 });
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
    };
    await page.setViewportSize(recorded);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Queue jobs' }).click();
    await speed(60);
    await record(8);
    await page.getByRole('button', { name: 'Lose eu-west-1a' }).click();
    await record(24);
    await page.setViewportSize(viewport);
    await picture('zone-lost');
    await page.setViewportSize(recorded);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Bring eu-west-1a back' }).click();
    await speed(900);
    await record(14);
    await page.locator('.incident:not(.open)', { hasText: 'eu-west-1a is lost' }).waitFor();
    await record(4);
    await speed(300);
    const file = animatedWebp(frames, recorded);
    if (file.length > mostBytes) throw new Error(`the recording has ${file.length} bytes, more than ${mostBytes}`);
    writeFileSync(join(folder, 'console-zone-loss.webp'), file);
    console.log(`console-zone-loss.webp ${Math.round(file.length / 1024)} KiB, ${frames.length} pictures`);
    await page.setViewportSize(viewport);
  }

  async function speed(factor: number): Promise<void> {
    await page.getByLabel('Speed').selectOption(String(factor));
  }

  /** Slowly enough that light and dark show the same. */
  async function picture(view: string): Promise<void> {
    await speed(1);
    await page.locator('.toast.shown').waitFor({ state: 'detached' });
    // Nothing is pointed at, and what is newest is in sight.
    await page.mouse.move(0, 0);
    await page.locator('aside').evaluate((aside) => aside.scrollTo(0, 0));
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { ConsoleDriver } from './console/driver.ts';

const chromium = outsideClient('chromium', 'apt-get install chromium');

describe.skipIf(chromium.missing)(`a resumed session in a real browser ${chromium.reason ?? ''}`.trim(), () => {
  const ui = new ConsoleDriver();
  beforeAll(() => ui.open(chromium.path, '--jobs-per-hour', '20', '--seed', 'resume'), 500_000);
  afterAll(async () => expect(await ui.close()).toBe(0), 120_000);

  it('while a session is replayed, its last moment is shown at once, read-only and with progress', async () => {
    const { page, local } = ui;
    await ui.fill('Jobs', '4');
    await ui.press('Queue jobs', '4 jobs were queued.');
    await ui.speed(900);
    const hourAfter = (await timeShown()) + 3_600_000;
    await ui.until('an hour later', async () => (await timeShown()) > hourAfter);
    expect(await local.stop()).toBe(0);
    await page.getByText(/^Not connected/).waitFor();
    const stoppedAt = await timeShown();

    const replayed = local.again();
    replayed.catch(() => {});
    await page
      .getByText(/^Resuming: \d+ % replayed\. What you see is the last moment of the session\. Start over$/)
      .waitFor();
    // The last frame that was recorded is at most a minute of simulated time older than the end.
    expect(Math.abs((await timeShown()) - stoppedAt)).toBeLessThan(30 * 60_000);
    expect(await ui.shows(/You queued 4 jobs/)).toBe(true);
    expect(await page.getByRole('heading', { name: 'Tools' }).count()).toBe(0);
    const refused = await fetch(`${local.url}/api/controls/queue-jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"count":1,"minutes":1}',
    });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('still being replayed')]);
    await ui.until('progress', () => ui.shows(/Resuming: [1-9]\d* % replayed/));
    await replayed;
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
    await ui.until('time passes again', async () => (await timeShown()) > stoppedAt);
    expect(await ui.shows(/Resuming|Not connected/)).toBe(false);
    ui.forgetDisconnection();
    expect(ui.troubles).toEqual([]);
  }, 900_000);

  const timeShown = async () => Date.parse((await ui.page.locator('.clock time').getAttribute('datetime'))!);
});

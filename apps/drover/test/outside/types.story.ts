import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { violationsOn } from './console/axe.ts';
import { ConsoleDriver } from './console/driver.ts';

const chromium = outsideClient('chromium', 'apt-get install chromium');

describe.skipIf(chromium.missing)(`a fleet with types in a real browser ${chromium.reason ?? ''}`.trim(), () => {
  const ui = new ConsoleDriver();
  beforeAll(() => ui.open(chromium.path, '--types', '--jobs-per-hour', '0', '--seed', 'types'), 500_000);
  afterAll(async () => expect(await ui.close()).toBe(0), 120_000);

  it('the scene has a card for each type, and the hosts of the type that jobs were queued for', async () => {
    const card = (type: string) => ui.page.locator(`.types [data-type="${type}"]`);
    await card('arm').waitFor();
    expect(await ui.page.locator('.types [data-type]').count()).toBe(3);
    await ui.select('Type', 'large');
    await ui.fill('Jobs', '6');
    await ui.fill('Minutes each', '240');
    await ui.press('Queue jobs', '6 jobs were queued.');
    await ui.speed(300);
    await ui.until('large has its maximum', async () =>
      /4\s*running.*4 hosts, at its maximum/s.test((await card('large').textContent()) ?? ''),
    );
    await ui.until(
      'its hosts are grouped',
      async () => (await ui.page.locator('.zone [data-type="large"] .cell').count()) === 4,
    );
    expect(await ui.page.locator('.zone [data-type="large"] h4').first().textContent()).toMatch(/^large \d/);
  }, 600_000);

  it('what-if asks for the type, and begins with the values that it has', async () => {
    await ui.show('What if');
    await ui.page.locator('form.question select').first().selectOption('large');
    await ui.until('its maximum', async () => (await ui.page.getByLabel('Maximum sizes').inputValue()) === '4, 8');
    await ui.show('Scene');
  }, 300_000);

  it('the page with types has no fault of accessibility and logged no error', async () => {
    expect(await violationsOn(ui.page)).toEqual([]);
    expect(ui.troubles).toEqual([]);
  }, 120_000);
});

import { expect, it } from 'vitest';
import type { ConsoleDriver } from './driver.ts';
import type { Services } from './services.ts';

/** Jobs, the size and the inputs of the fleet, and what can be done to an instance. */
export function fleetCases(ui: ConsoleDriver, services: Services): void {
  it('queued jobs make the fleet grow and are run, and each can be opened', async () => {
    await ui.until(
      'two runners',
      async () => (await services.runners()).filter(({ status }) => status === 'online').length >= 2,
    );
    await ui.fill('Jobs', '8');
    await ui.fill('Minutes each', '240');
    await ui.press('Queue jobs', '8 jobs were queued.');
    await ui.speed(300);
    await ui.until('busy on the page', () => ui.shows(/[4-8] busy/));
    await ui.until(
      'busy for the platform',
      async () => (await services.runners()).filter(({ busy }) => busy).length >= 4,
    );
    await ui.speed(60);
    await ui.show('Jobs');
    for (const filter of ['waiting', 'completed', 'lost', 'all', 'running']) {
      ui.used.add(filter);
      await ui.page.getByRole('button', { name: filter, exact: true }).click();
    }
    await ui.page
      .getByRole('link', { name: /^job \d+$/ })
      .first()
      .click();
    await ui.page.getByRole('heading', { name: /^Job \d+$/ }).waitFor();
    await ui.until('how long it waited', () => ui.shows(/started after \d+ (s|min) on i-/));
    await ui.show('Scene');
  }, 600_000);

  it('the console sets the desired capacity', async () => {
    await ui.fill('Desired capacity', '8');
    await ui.press('Set', 'The desired capacity is 8.');
    await ui.until('on the page', () => ui.shows(/8 desired/));
    expect((await services.group('runners')).DesiredCapacity).toBe(8);
    await ui.speed(300);
    await ui.until('six of them in service', async () => (await services.inService('runners')).length >= 6);
    await ui.speed(60);
  }, 600_000);

  it('inputs of the fleet are changed on the page, by an update of its stack', async () => {
    await ui.fill('Idle target', '3');
    await ui.fill('Maximum size', '9');
    await ui.fill('Drain seconds', '1200');
    await ui.select('Scales on', 'idle');
    await ui.press('Deploy inputs', 'The stack is being updated.');
    await ui.until('Auto Scaling has the maximum', async () => (await services.group('runners')).MaxSize === 9);
    await ui.until('on the page', () => ui.shows(/idle of target 3/));
    await ui.until('its incident', () => ui.shows(/You changed inputs of the fleet: .*maximum size 9/));
  }, 600_000);

  it.each([
    ['Terminate', 'is being terminated.'],
    ['Break', 'no longer exists.'],
    ['Hang', 'no longer responds.'],
    ['Fill disk of', 'is full.'],
    ['Reclaim', 'is interrupted in two minutes.'],
  ])(
    'an instance is opened by its cell, and %s takes it out of service',
    async (act, said) => {
      await ui.show('Scene');
      await ui.until('an instance for it', async () => (await services.inService('runners')).length > 0);
      const served = await services.inService('runners');
      const spots = await ui.page
        .locator('.cell.spot[data-instance]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-instance')!));
      const id = served.find((one) => act !== 'Reclaim' || spots.includes(one))!;
      await ui.page.locator(`[data-instance="${id}"]`).click();
      await ui.page.getByRole('heading', { name: `Instance ${id}` }).waitFor();
      await ui.until('its life', () => ui.shows(/was launched/));
      await ui.confirm(`${act} ${id}`, said);
      await ui.speed(300);
      await ui.until(`${act} for Auto Scaling`, async () => !(await services.serves('runners', id)));
      await ui.until(`${act} on the page`, async () => !/InService/.test(await ui.titleOf(id)));
      await ui.speed(60);
      ui.used.add('Close the details');
      await ui.page.getByRole('link', { name: 'Close the details' }).click();
    },
    900_000,
  );
}

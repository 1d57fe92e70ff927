import { expect, it } from 'vitest';
import type { ConsoleDriver } from './driver.ts';
import type { Services } from './services.ts';

/** Things that are taken away and given back, instance refreshes, and a guided scenario. */
export function faultsCases(ui: ConsoleDriver, services: Services): void {
  it('GitHub, the network and the functions are taken away and given back, by button and by Undo', async () => {
    await ui.press('Take GitHub down', 'GitHub returns 503.');
    await ui.until('down on the page', () => ui.shows(/GitHub down/));
    expect((await services.platform('/rate_limit')).status).toBe(503);
    await ui.press('Undo', 'Undone.');
    await ui.until('up on the page', () => ui.shows(/GitHub up/));
    await ui.press('Take GitHub down', 'GitHub returns 503.');
    await ui.press('Bring GitHub back', 'GitHub is back.');
    expect((await services.platform('/rate_limit')).status).toBe(200);
    await ui.press('Rate-limit GitHub', 'GitHub rejects requests by its rate limit.');
    await ui.until('limited on the page', () => ui.shows(/GitHub rate-limited/));
    expect([403, 429]).toContain((await services.platform('/orgs/example-org/actions/runners')).status);
    await ui.press('Lift the rate limit', 'The rate limit is lifted.');
    await ui.until('up again on the page', () => ui.shows(/GitHub up/));
    await ui.press('Slow the network', 'Every request takes five seconds more.');
    await ui.press('Restore the network', 'The network is fast again.');
    await ui.press('Throttle the functions', 'Lambda runs no function.');
    await ui.press('Let functions run', 'Lambda runs functions again.');
    await ui.until(
      'an incident for each',
      async () => (await ui.shows(/GitHub is down/)) && (await ui.shows(/Lambda runs no function/)),
    );
  }, 600_000);

  it.each(['runners', 'search', 'search-data'])(
    'the console starts and cancels an instance refresh of %s',
    async (name) => {
      if (name !== 'runners') await services.atPeace();
      await ui.press(`Refresh ${name}`, `Every instance of ${name} is replaced`);
      await ui.until('under way on the page', () => ui.shows(new RegExp(`refresh of ${name}: (Pending|InProgress)`)));
      expect(await services.refreshStatus(name)).toMatch(/Pending|InProgress/);
      await ui.press(`Cancel refresh of ${name}`, `The refresh of ${name} is cancelled.`);
      await ui.until('cancelled on the page', () => ui.shows(new RegExp(`refresh of ${name}: Cancel`)));
      expect(await services.refreshStatus(name)).toMatch(/^Cancel/);
    },
    900_000,
  );

  it('a guided scenario is played: a zone is lost and brought back', async () => {
    const first = 'Your first zone loss';
    ui.used.add(first).add('Deploy during an outage').add('The majority of masters is gone');
    await ui.page.getByRole('button', { name: first }).click();
    await ui.noteControls();
    await ui.page.locator('.guide ~ .acts').getByRole('button', { name: 'Queue jobs' }).click();
    ui.used.add('Lose the first zone').add('Bring the zone back').add('End the scenario');
    await ui.page.getByRole('button', { name: 'Lose the first zone' }).click();
    await ui.noteControls();
    await ui.until('lost on the page', () => ui.shows(/eu-west-1a \(lost\)/));
    await ui.until('two nodes less for Elasticsearch', async () => (await services.nodeCount()) === 4);
    await ui.page.getByRole('button', { name: 'Bring the zone back' }).click();
    await ui.until('back on the page', async () => !(await ui.shows(/\(lost\)/)));
    await ui.page.getByRole('button', { name: 'End the scenario' }).click();
    await services.atPeace();
    await ui.press('Lose eu-west-1c', 'eu-west-1c is lost.');
    await ui.press('Bring eu-west-1c back', 'eu-west-1c is back.');
    await services.atPeace();
  }, 900_000);

  it('a thing of the scene that is opened can be broken there, and the palette acts', async () => {
    await ui.page.goto(`${ui.local.url}/#/scene`);
    await ui.page.getByRole('link', { name: 'eu-west-1c', exact: true }).click();
    await ui.page.locator('.opened').getByRole('button', { name: 'Lose eu-west-1c' }).click();
    await ui.until('lost on the page', () => ui.shows(/eu-west-1c \(lost\)/));
    await ui.page.locator('.opened').getByRole('button', { name: 'Bring eu-west-1c back' }).click();
    await ui.until('back on the page', async () => !(await ui.shows(/\(lost\)/)));
    await ui.page.getByRole('link', { name: /^GitHub up/ }).click();
    await ui.page.locator('.opened').getByRole('button', { name: 'Take GitHub down' }).waitFor();
    await ui.page.goto(`${ui.local.url}/#/scene`);
    await ui.page.keyboard.press('Control+k');
    await ui.page.keyboard.type('rate github');
    await ui.page.keyboard.press('Enter');
    await ui.page.getByRole('status').filter({ hasText: 'GitHub rejects requests by its rate limit.' }).waitFor();
    await ui.press('Lift the rate limit', 'The rate limit is lifted.');
    await services.atPeace();
  }, 900_000);
}

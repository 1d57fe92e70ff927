import type { Observation } from '@drover/observation/api';
import { expect, it } from 'vitest';
import { type ConsoleDriver, laptop } from './driver.ts';
import type { Services } from './services.ts';

/** The palette, filters, the space bar and links into the page. */
export function viewsCases(ui: ConsoleDriver, services: Services): void {
  it('the palette finds a node by a few letters, events are filtered, and the space bar pauses', async () => {
    await ui.page.keyboard.press('Control+k');
    const [id] = await services.inService('search');
    await ui.page.getByRole('dialog', { name: 'Find' }).getByRole('searchbox').fill(`node ${id}`);
    await ui.page.keyboard.press('Enter');
    await ui.page.getByRole('heading', { name: /^Node ip-/ }).waitFor();
    await ui.show('Events');
    for (const kind of ['acts and faults', 'trouble', 'change', 'all']) {
      ui.used.add(kind);
      await ui.page.getByRole('button', { name: kind, exact: true }).click();
    }
    await ui.fill('Search', 'no such event');
    expect(await ui.page.getByRole('table').getByRole('row').count()).toBe(1);
    await ui.page.evaluate('document.activeElement?.blur()');
    await ui.page.keyboard.press(' ');
    await ui.page.getByText('Paused: nothing happens until you resume.').waitFor();
    await ui.page.keyboard.press(' ');
    await ui.until('running again', async () => !(await ui.shows(/Paused: nothing/)));
  }, 600_000);

  it('the words of the page are explained, and the explanation is closed by a key', async () => {
    ui.used.add('What you see');
    await ui.page.getByRole('button', { name: 'What you see' }).click();
    await ui.page.getByRole('dialog', { name: 'What you see' }).getByText('Warm pool').waitFor();
    await ui.page.keyboard.press('Escape');
    await ui.page.getByRole('dialog', { name: 'What you see' }).waitFor({ state: 'hidden' });
  });

  it('an address opens its view with an instance, a node, a job or an incident, also in a new page', async () => {
    const state = (await (await fetch(`${ui.local.url}/api/state`)).json()) as Observation;
    const instance = state.fleet.instances[0]!.id;
    const { instanceId, name } = state.cluster.nodes[0]!;
    const subjects = [
      [`jobs/instance/${instance}`, `Instance ${instance}`],
      [`events/instance/${instanceId}`, `Node ${name}`],
      [`shards/node/${instanceId}`, `Node ${name}`],
      [`alarms/job/${state.fleet.jobs[0]!.id}`, `Job ${state.fleet.jobs[0]!.id}`],
      [`functions/incident/${state.incidents[1]!.id}`, state.incidents[1]!.title],
    ] as const;
    for (const [address, heading] of subjects) {
      const other = await ui.watched(await ui.browser.newPage({ viewport: laptop }));
      await other.goto(`${ui.local.url}/#/${address}`);
      await other.getByRole('heading', { name: heading, exact: true }).first().waitFor();
      await other.getByRole('link', { name: 'Close the details' }).click();
      await other.locator('.opened').waitFor({ state: 'detached' });
      await other.close();
    }
  }, 600_000);
}

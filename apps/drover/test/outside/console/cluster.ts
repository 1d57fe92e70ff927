import { expect, it } from 'vitest';
import type { ConsoleDriver } from './driver.ts';
import type { Services } from './services.ts';

/** Shards, and nodes that are killed or replaced. */
export function clusterCases(ui: ConsoleDriver, services: Services): void {
  const nameOfNode = async (id: string) => (await ui.titleOf(id)).split(':')[0]!;

  it('shards are shown on the scene by mouse-over, and by node and index in their own view', async () => {
    await services.atPeace();
    const squares = ui.page.locator('.shards:has(svg:not([aria-label^="0 "]))').first();
    await ui.until('its name', async () => {
      await squares.hover({ position: { x: 6, y: 6 } });
      return /^\S+\[\d+\] STARTED$/.test((await squares.getAttribute('title')) ?? '');
    });
    await ui.show('Shards');
    await ui.page.getByRole('columnheader', { name: 'orders' }).waitFor();
    expect(await ui.page.getByRole('row', { name: /^unassigned/ }).count()).toBe(1);
    await ui.page.getByRole('rowheader').getByRole('link').first().click();
    await ui.page.getByRole('heading', { name: /^Node ip-/ }).waitFor();
    await ui.show('Scene');
  }, 900_000);

  it('a killed node turns the cluster yellow and is replaced, and the incident shows it', async () => {
    await services.atPeace();
    await ui.speed(10);
    const [id] = await services.inService('search-data');
    const name = await nameOfNode(id!);
    await ui.openUp(`node/${id}`);
    await ui.confirm(`Kill ${name}`, `${name} is powered off.`);
    await ui.until('yellow on the page', () => ui.shows(/Cluster search\s*yellow/));
    await ui.until(
      'yellow or a node less for Elasticsearch',
      async () => (await services.health()) === 'yellow' || (await services.nodeCount()) < 6,
    );
    await services.atPeace();
    expect(await services.inService('search-data')).not.toContain(id);
    await ui.until('the verdict', () => ui.shows(/ended well after .*None of \d+ acknowledged documents are lost/));
    // The browser's own element unfolds them.
    ui.used.add('Steps of an incident');
  }, 900_000);

  it('a node that is cut off is shown as one that no other node reaches until it is connected again', async () => {
    const [id] = await services.inService('search-data');
    const name = await nameOfNode(id!);
    await ui.speed(10);
    await ui.openUp(`node/${id}`);
    await ui.press(`Cut off ${name}`, `No other node reaches ${name}.`);
    await ui.until('cut off on the page', () => ui.shows(/no other node reaches it/));
    await ui.until('a node less for Elasticsearch', async () => (await services.nodeCount()) < 6);
    await ui.press(`Connect ${name}`, `${name} is reached again.`);
    await services.atPeace();
  }, 900_000);

  it('a replaced node is drained before it is terminated', async () => {
    const [id] = await services.inService('search-data');
    const name = await nameOfNode(id!);
    // A drain takes minutes: on a busy machine it would be over before the next look.
    await ui.speed(10);
    await ui.openUp(`node/${id}`);
    await ui.confirm(`Replace ${name}`, `${name} is drained and replaced.`);
    await ui.until('terminating on the page', async () => /Terminating/.test(await ui.titleOf(id!)));
    await ui.until('its drain on the page', () => ui.shows(/draining, \d+ of \d+ shards left/));
    expect(await services.serves('search-data', id!)).toBe(false);
    await services.atPeace();
    expect(await services.inService('search-data')).not.toContain(id);
  }, 900_000);
}

import { expect, it } from 'vitest';
import { violationsOn } from './axe.ts';
import { type ConsoleDriver, viewNames, views } from './driver.ts';
import type { Services } from './services.ts';

/** The whole page: every control, without a mouse, in each size and colour scheme. */
export function matrixCases(ui: ConsoleDriver, services: Services): void {
  it('every view and every control that the page had has a case above', async () => {
    const links = await ui.page.getByRole('navigation').getByRole('link').allTextContents();
    expect(links.map((text) => text.replace(/\d+$/, ''))).toEqual(viewNames);
    const [instance] = await services.inService('runners');
    const [node] = await services.inService('search');
    for (const address of [...Object.values(views), `scene/instance/${instance}`, `scene/node/${node}`]) {
      await ui.page.goto(`${ui.local.url}/#/${address}`);
      await ui.page.getByRole('navigation').waitFor();
      await ui.noteControls();
    }
    expect(ui.seen.size).toBeGreaterThan(40);
    expect([...ui.seen].filter((name) => !ui.used.has(name))).toEqual([]);
  }, 600_000);

  it('at 1440 by 900 scene, chart, scoreboard and the current incident are visible without scrolling', async () => {
    await ui.page.goto(`${ui.local.url}/#/scene`);
    await ui.page.reload();
    await ui.page.locator('.incident').first().waitFor();
    for (const place of ['.zones', '.plot canvas', '.scoreboard', '.incident']) {
      const box = (await ui.page.locator(place).first().boundingBox())!;
      expect([place, box.y >= 0 && box.y + Math.min(box.height, 200) <= 900]).toEqual([place, true]);
    }
    expect(await ui.page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    // Four rows of tools: more would be taken from the scene.
    expect((await ui.page.locator('.tools').boundingBox())!.height).toBeLessThanOrEqual(140);
  });

  it.each(viewNames)(
    'the console can be used without a mouse: view %s',
    async (view) => {
      await ui.press('Pause', 'The clock is paused.');
      await ui.show(view);
      // Its form comes with the first response of the server, its result with the next.
      if (view === 'What if') await ui.page.locator('form.question').waitFor();
      const controls = ':is(a[href], button, input, select, [tabindex="0"]):not(dialog *)';
      const wanted = () => ui.page.locator(controls).count();
      expect(await wanted()).toBeGreaterThan(4);
      const unreachedAfterTabs = async (): Promise<readonly string[]> => {
        await ui.page.evaluate('document.activeElement?.blur()');
        for (let pressed = 0; pressed < (await wanted()) + 2; pressed++) {
          await ui.page.keyboard.press('Tab');
          await ui.page.evaluate("document.activeElement?.setAttribute('data-reached', 'yes')");
        }
        return await ui.page
          .locator(controls)
          .evaluateAll((all) =>
            all
              .filter((element) => element.getAttribute('data-reached') !== 'yes')
              .map((element) => element.outerHTML.slice(0, 120)),
          );
      };
      // A change that was on its way when the clock stopped may come behind the focus: then once more, from the top.
      let unreached = await unreachedAfterTabs();
      if (unreached.length > 0) unreached = await unreachedAfterTabs();
      await ui.press('Resume', 'The clock is running.');
      expect(unreached).toEqual([]);
    },
    600_000,
  );

  it.each([320, 768, 1024, 1440].flatMap((width) => [['light', width] as const, ['dark', width] as const]))(
    'axe reports no violation in any view, and nothing is wider than the page: %s, %i px',
    async (colorScheme, width) => {
      const context = await ui.browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const other = await ui.watched(await context.newPage());
      const [instance] = await services.inService('runners');
      // The first question has a result.
      for (const address of [
        ...Object.values(views),
        `scene/instance/${instance}`,
        'scene/zone/eu-west-1a',
        'what-if/1',
      ]) {
        await other.goto(`${ui.local.url}/#/${address}`);
        await other.getByRole('navigation').waitFor();
        if (address === 'what-if/1') await other.locator('.picture img').waitFor();
        expect(await violationsOn(other), address).toEqual([]);
        const [shown, needed] = await other.evaluate<number[]>('[innerWidth, document.documentElement.scrollWidth]');
        expect(needed, `width of ${address}`).toBeLessThanOrEqual(shown!);
        const { height } = (await other.locator('header .bar').boundingBox())!;
        expect(height, `the header is one line above ${address}`).toBeLessThanOrEqual(48);
      }
      await context.close();
    },
    600_000,
  );
}

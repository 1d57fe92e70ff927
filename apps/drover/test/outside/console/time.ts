import { expect, it } from 'vitest';
import type { ConsoleDriver } from './driver.ts';
import type { Services } from './services.ts';

/** The clock, earlier moments, branches and the way back. */
export function timeCases(ui: ConsoleDriver, services: Services): void {
  it('the clock pauses, resumes and changes its speed', async () => {
    await ui.press('Pause', 'The clock is paused.');
    await ui.page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    // The step under way when the button was pressed still ends.
    let before: string | null = '';
    await ui.until('the clock stands still', async () => {
      const shown = await ui.page.locator('.clock time').first().textContent();
      const same = shown === before;
      before = shown;
      return same;
    });
    const [clock, cluster] = [await ui.page.locator('.clock time').textContent(), await services.clusterTime()];
    expect(await services.clusterTime()).toBe(cluster);
    expect(await ui.page.locator('.clock time').textContent()).toBe(clock);
    await ui.press('Resume', 'The clock is running.');
    await ui.until('time passes', async () => (await services.clusterTime()) > cluster);
    await ui.speed(300);
    await ui.until('the page shows the speed', async () => (await ui.page.getByLabel('Speed').inputValue()) === '300');
    await ui.speed(60);
  }, 600_000);

  it('an earlier moment is shown as it was, a branch takes the place of what happened since, and there is a way back', async () => {
    ui.used.add('Moment');
    const slider = ui.page.getByLabel('Moment', { exact: true });
    await ui.until('three frames', async () => Number(await slider.getAttribute('max')) >= 3);
    await ui.fill('Jobs', '3');
    await ui.press('Queue jobs', '3 jobs were queued.');
    await ui.until('jobs', () => ui.shows(/[1-3] (queued|busy)/));
    await slider.focus();
    await ui.page.keyboard.press('Home');
    await ui.page.getByText(/^You see .* Nothing can be done to the past/).waitFor();
    expect(await ui.page.getByRole('heading', { name: 'Tools' }).count()).toBe(0);
    await ui.page.keyboard.press('ArrowRight');
    ui.used.add('Back to now');
    await ui.page.getByRole('button', { name: 'Back to now' }).click();
    await ui.page.getByRole('heading', { name: 'Tools' }).waitFor();
    await slider.focus();
    await ui.page.keyboard.press('Home');
    await ui.page.getByText(/^You see /).waitFor();
    await ui.noteControls();
    await ui.press('Branch from here', / is being replayed\./);
    await ui.until('progress on the page', () => ui.shows(/Branching from .* \d+ % replayed/));
    // biome-ignore lint/suspicious/noExplicitAny: a part of the state, while one process gives way to the other
    const state = async (): Promise<any> => (await fetch(`${ui.local.url}/api/state`)).json();
    await ui.until('the branch has taken over', async () => {
      const { travel, fleet } = await state().catch(() => ({ travel: 'nothing listens' }));
      return travel === undefined && fleet.jobs.length === 0;
    });
    await ui.until('the page follows', async () => !(await ui.shows(/Not connected|Branching/)));
    await ui.page.locator('.course.branch', { hasText: /^branch 1$/ }).waitFor();
    // The header stays on one line of 1440 px: a second would begin below the buttons.
    const [header, find] = [ui.page.locator('header'), ui.page.getByRole('button', { name: 'Find' })];
    const [whole, line] = [(await header.boundingBox())!.height, (await find.boundingBox())!.height];
    expect(whole).toBeLessThan(2 * line);
    const back = ui.page.getByRole('button', { name: /^Return to the original \(/ });
    await ui.press((await back.textContent())!, 'The original is being replayed.');
    await ui.until('progress of the return', () => ui.shows(/Returning to .* of another timeline: \d+ % replayed/));
    await ui.until('the original is back', async () => {
      const { travel, fleet, courses } = await state().catch(() => ({ travel: 'nothing listens' }));
      return travel === undefined && courses.current.id === 0 && fleet.jobs.length > 0;
    });
    await ui.page.locator('.course:not(.branch)', { hasText: /^original$/ }).waitFor();
    await ui.page.getByRole('button', { name: /^Return to the branch 1 \(/ }).waitFor();
    await ui.until('the page follows again', async () => !(await ui.shows(/Not connected|Returning/)));
    ui.forgetDisconnection();
  }, 600_000);

  it('from an incident one click leads to a branch right before it, beside which the original is shown, and Start over ends the wait and offers a tour', async () => {
    await ui.press('Lose eu-west-1c', 'eu-west-1c is lost.');
    const told = ui.page.locator('.incident', { hasText: 'Zone eu-west-1c is lost' });
    await told.waitFor();
    // Its mark on the slider shows the frame of before.
    ui.used.add('Before an incident');
    await ui.page.getByRole('button', { name: /^Before: Zone eu-west-1c is lost/ }).click();
    await ui.page.getByText(/^You see /).waitFor();
    await told.waitFor({ state: 'detached' });
    await ui.page.getByRole('button', { name: 'Back to now' }).click();
    await told.waitFor();
    await ui.press('↶ Go back to before this', 'The time before it is being replayed.');
    await ui.until('a branch', () => ui.shows(/Branching from .* \d+ % replayed/));
    await ui.page.locator('.course-summary', { hasText: 'Zone eu-west-1c is lost' }).waitFor();
    await ui.until('the page follows', async () => !(await ui.shows(/Not connected|Branching/)));
    const summaries = ui.page.locator('.course-summary');
    expect(await summaries.count()).toBe(2);
    expect(await summaries.first().textContent()).toMatch(/^You see: branch \d no incident since/);
    const branch = (await ui.page.locator('.course.branch').textContent())!;
    expect(await summaries.last().textContent()).toMatch(/^Left: original .*Zone eu-west-1c is lost/);
    const back = ui.page.getByRole('button', { name: /^Return to the original \(/ });
    await ui.press((await back.textContent())!, 'The original is being replayed.');
    await ui.press('Start over', 'A new beginning is being deployed. This timeline is kept.');
    await ui.until('another branch', async () => {
      const shown = await ui.page.locator('.course').textContent();
      return shown !== branch && shown?.startsWith('branch') === true;
    });
    await ui.until('the page follows again', async () => !(await ui.shows(/Not connected|Branching|Returning/)));
    expect(await ui.page.locator('.incident').count()).toBe(0);
    // A new session offers a tour.
    await ui.noteControls();
    for (const name of ['▶ Lose a zone', '▶ GitHub is away for a minute', 'Not now', 'Stop the tour'])
      ui.used.add(name);
    await ui.page.getByRole('button', { name: '▶ Lose a zone' }).click();
    await ui.page.locator('.tour small', { hasText: /^2 of 4, 10×$/ }).waitFor();
    await ui.until('the zone is lost', () => ui.shows(/eu-west-1a \(lost\)/));
    await ui.noteControls();
    await ui.page.getByRole('button', { name: 'Stop the tour' }).click();
    await ui.press(
      (await ui.page.getByRole('button', { name: `Return to the ${branch} (` }).textContent())!,
      `The ${branch} is being replayed.`,
    );
    await ui.page.locator('.course.branch', { hasText: branch }).waitFor();
    await ui.until('the page is live', async () => !(await ui.shows(/Not connected|Branching|Returning/)));
    ui.forgetDisconnection();
  }, 900_000);
}

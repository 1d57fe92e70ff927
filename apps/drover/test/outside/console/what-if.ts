import { expect, it } from 'vitest';
import type { ConsoleDriver } from './driver.ts';
import { kindOf } from './kind-of.ts';
import type { Services } from './services.ts';

/** A few jobs an hour for two hours. */
const history = [
  'queued_at,duration_seconds,labels',
  ...Array.from({ length: 12 }, (_, index) => {
    const minute = String((index % 6) * 10).padStart(2, '0');
    return `2026-01-05T${index < 6 ? '09' : '10'}:${minute}:00Z,300,self-hosted linux x64`;
  }),
].join('\n');

/** Other inputs tried on the page. */
export function whatIfCases(ui: ConsoleDriver, services: Services): void {
  const replay = async (name: string) => {
    ui.used.add('Replay');
    await ui.noteControls();
    await ui.page.getByRole('button', { name, exact: true }).click();
  };

  it('what-if replays an imported history while the world goes on, and its result has an address', async () => {
    await ui.show('What if');
    await ui.fill('Idle targets', '1, 3');
    await ui.fill('Maximum sizes', '6');
    await ui.fill('First hours', '2');
    await ui.fill('Acceptable p95 wait, seconds', '86400');
    ui.used.add('Scale on waiting jobs').add(kindOf('Scale on idle runners')).add('History file').add('Deployed');
    await ui.page.getByLabel('Scale on idle runners').uncheck();
    await ui.page.getByLabel('Scale on idle runners').check();
    await ui.page.getByLabel('Scale on waiting jobs').uncheck();
    await ui.select('Jobs of', 'history');
    await ui.page
      .getByLabel('History file')
      .setInputFiles({ name: 'january.csv', mimeType: 'text/csv', buffer: Buffer.from(history) });
    await ui.page.getByText(/^Deployed: idle mode/).click();
    await ui.page.getByText(/asg_max_size: 9/).waitFor();
    const before = await services.clusterTime();
    await replay('Replay 2 configurations');
    await ui.page
      .getByRole('status')
      .filter({ hasText: /\d+ % replayed/ })
      .waitFor();
    await ui.until('the world goes on', async () => (await services.clusterTime()) > before);
    await ui.page.locator('.answer', { hasText: 'is the cheapest with a p95 wait of at most' }).waitFor();
    const address = ui.page.url();
    expect(address).toMatch(/#\/what-if\/\d+$/);
    const other = await ui.watched(await ui.browser.newPage());
    await other.goto(address);
    await other.getByText('12 jobs from 2026-01-05 09:00:00 UTC').waitFor();
    expect(await other.getByRole('row').count()).toBe(3);
    await other.locator('.picture img').waitFor();
    await ui.until('the picture', async () =>
      other
        .locator('.picture img')
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 500),
    );
    await other.close();
    // The form was away while the question ran.
    const kept = ['Idle targets', 'Maximum sizes', 'First hours', 'Acceptable p95 wait, seconds', 'Jobs of'];
    const values = kept.map((label) => ui.page.getByLabel(label).and(ui.page.locator('input, select')).inputValue());
    expect(await Promise.all(values)).toEqual(['1, 3', '6', '2', '86400', 'history']);
    expect(await ui.page.getByLabel('Scale on waiting jobs').isChecked()).toBe(false);
    await ui.page.getByText('january.csv is taken.').waitFor();
  }, 900_000);

  it('the inputs that what-if found are deployed by an update of the stack', async () => {
    await ui.press('Deploy these inputs', 'The stack is being updated.');
    await ui.until('Auto Scaling has the maximum', async () => (await services.group('runners')).MaxSize === 6);
  }, 600_000);

  it('a question of what-if is cancelled, and one that is not allowed says why', async () => {
    await ui.show('What if');
    expect(await ui.page.getByLabel('Idle targets').inputValue()).toBe('1, 3');
    await ui.fill('Idle targets', 'two');
    await ui.fill('Maximum sizes', '8');
    await ui.fill('First hours', '24');
    await ui.page.getByLabel('Scale on waiting jobs').check();
    await ui.select('Jobs of', 'burst');
    await replay('Replay 2 configurations');
    await ui.page.getByRole('alert').filter({ hasText: 'Not done: idle targets' }).waitFor();
    ui.forgetRefusal();
    await ui.fill('Idle targets', '2');
    await replay('Replay 2 configurations');
    await ui.until('it runs', () => ui.shows(/\d+ % replayed/));
    await ui.noteControls();
    ui.used.add('Cancel the replay').add('Notes');
    await ui.page.getByRole('button', { name: 'Cancel the replay' }).click();
    await ui.page.getByText(/^Cancelled at \d+ %\.$/).waitFor();
    await ui.page.getByRole('link', { name: /january\.csv/ }).click();
    await ui.page.locator('.answer').waitFor();
    await ui.show('Scene');
  }, 600_000);
}

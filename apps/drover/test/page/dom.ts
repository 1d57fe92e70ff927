import type { Phase } from '@drover/observation/phase';
import { phaseWords } from '../../../../apps/console/src/scene/phase.ts';
import type { Page } from '../outside/browser.ts';
import type { Facts } from '../same-facts.test-support.ts';

const pillStates = new Map([
  ['kept', 'kept'],
  ['unknown', 'not known'],
]);
const phases = Object.entries(phaseWords) as [Phase, string][];

/** The phase that the words of a cell mean: `i-0123: running a job 5, spot, InService`. */
function phaseIn(title: string): string {
  const words = title.slice(title.indexOf(': ') + 2);
  const found = phases.filter(([, word]) => words.includes(word)).sort(([, a], [, b]) => b.length - a.length)[0];
  return found?.[0] ?? `unknown words ${words}`;
}

/** Everything that a reader sees on the page, by the names that `truthOf` has too. */
export async function shownOn(page: Page): Promise<Facts> {
  const cells = await page.locator('[data-instance]').evaluateAll((all) =>
    all.map((one) => ({
      id: one.getAttribute('data-instance') ?? '',
      title: one.getAttribute('title') ?? '',
      node: one.classList.contains('node'),
    })),
  );
  const text = async (place: string) => (await page.locator(place).allInnerTexts()).join('\n');
  const places = await text('.places');
  const pills = await page
    .locator('.scoreboard li')
    .evaluateAll((all) => all.map((one) => [one.className, one.textContent ?? ''] as const));
  const zones = await page.locator('.zone:not(.pool) h3').allInnerTexts();
  const chart = (await page.locator('.plot').getAttribute('aria-label')) ?? '';
  const number = (pattern: RegExp, where = places) => Number(pattern.exec(where)?.[1] ?? Number.NaN);
  const facts: [string, unknown][] = [
    ...cells.map(({ id, title, node }): [string, unknown] => [`${node ? 'node' : 'cell'} ${id}`, phaseIn(title)]),
    ...zones.map((zone): [string, unknown] => [`zone ${zone.split(/\s/)[0]}`, zone.includes('(lost)')]),
    ['GitHub', /GitHub (up|down|rate-limited)/.exec(places)?.[1]],
    ['desired', number(/(\d+)\s+desired/)],
    ['busy', number(/(\d+)\s+busy/)],
    ['idle', number(/(\d+)\s+idle/)],
    ['queued', number(/(\d+)\s+queued/)],
    ['cluster', /Cluster search\s+(\w+)/.exec(places)?.[1]],
    ['alarms on', number(/(\d+)\s+alarms?\s+on/)],
    ...pills.map(([state, words]): [string, unknown] => [
      /no job lost by us|no document lost|invariants/.exec(words)?.[0] ?? words,
      pillStates.get(state) ?? words,
    ]),
    ...['busy', 'idle', 'booting', 'draining', 'queued'].map((layer): [string, unknown] => [
      `chart ${layer}`,
      number(new RegExp(`(\\d+) ${layer}`), chart),
    ]),
  ];
  return new Map(facts.map(([name, value]) => [name, JSON.stringify(value) ?? 'nothing']));
}

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Folders whose test titles are checked. */
const folders = [
  'apps/cluster-cli',
  'apps/functions',
  'apps/runner-agent',
  'packages/adapters',
  'packages/core',
  'packages/fleet-runtime',
  'packages/formats',
  'packages/runner-fleet',
  'packages/search-cluster',
];

/** A title that starts with one of these words has its subject elsewhere: in a CI log nobody sees it. */
const withoutSubject = /^(that|whose|who|which|is|are|can|and|has|does)\b/i;

/** The titles of `it` and `test`, also after a table of `each`. */
const titlesIn = (source: string): readonly string[] =>
  [...source.matchAll(/(?:^\s*(?:it|test)(?:\.\w+)*\(|^\s*\]\)\()\s*(['"`])((?:(?!\1).)+)\1/gm)].map(
    ([, , title]) => title!,
  );

const tests = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => `${folder}/${name}`),
);

it('every test title names its subject', () => {
  const titles = tests.flatMap((file) => titlesIn(readFileSync(file, 'utf8')).map((title) => ({ file, title })));
  const wrong = titles.filter(({ title }) => withoutSubject.test(title));

  expect(titles.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});

it.each([
  ["it('is refused', () => {})", 'is refused'],
  ['  it(\n    `does nothing`,', 'does nothing'],
  ["  it.each([\n    [1],\n  ])('are %s', () => {", 'are %s'],
])('the check of test titles finds %j', (source, title) => {
  expect(titlesIn(source).filter((found) => withoutSubject.test(found))).toEqual([title]);
});

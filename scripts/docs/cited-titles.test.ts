import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const tests = ['cloud', 'packages', 'apps', 'scripts', 'bench']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(test|story)\.tsx?$|\/contract\/|\/test\/|cases\.ts$/.test(name) && /\.tsx?$/.test(name))
      .filter((name) => !/(^|\/)(node_modules|dist|fixtures)\//.test(name))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
  )
  .join('\n')
  .replaceAll("\\'", "'")
  .replaceAll('\\`', '`');

/** Titles of tables of cases, such as `decideCeiling says %s`, as what they become. */
const ofTables = [...tests.matchAll(/['`]([^'`\n]*(?:%[sji]|\$\{?\w)[^'`\n]*)['`]/g)]
  .filter(([, title = '']) => title.replace(/%[sji]|\$\{[^}]*\}|\$\w+/g, '').length > 8)
  .map(
    ([, title = '']) =>
      new RegExp(
        `^${title
          .split(/%[sji]|\$\{[^}]*\}|\$\w+/)
          .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('.+')}$`,
      ),
  );
const isTitle = (title: string) => tests.includes(title) || ofTables.some((pattern) => pattern.test(title));

/** Rows of the table of findings: id, what, state, proof. */
const rows = readFileSync('docs/internal/REALITY.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| [A-Z]{2}/.test(line))
  .map((line) => line.split(' | '))
  .map(([id = '', , state = '', proof = '']) => ({ id: id.slice(2), state, proof: proof.replace(/ \|$/, '') }));

describe('docs/internal/REALITY.md', () => {
  it('every title that is cited as the proof of a fixed finding is the title of a test', () => {
    const missing = rows
      .filter(({ state }) => state === 'fixed')
      .flatMap(({ id, proof }) => proof.split('<br>').map((title) => ({ id, title })))
      .filter(({ title }) => !isTitle(title));
    expect(rows.length).toBeGreaterThan(150);
    expect(missing).toEqual([]);
  });

  it('every finding is fixed, declined by a decision, or open with what is missing', () => {
    const unclear = rows.filter(
      ({ state, proof }) =>
        !['fixed', 'declined', 'open'].includes(state) ||
        proof === '' ||
        (state === 'declined' && !/decision \d{4}/.test(proof)),
    );
    expect(unclear).toEqual([]);
  });
});

describe('docs/internal/SPEC-COVERAGE.md', () => {
  const done = readFileSync('docs/internal/SPEC-COVERAGE.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| S\d+ \|/.test(line))
    .map((line) => line.replace(/ \|$/, '').split(' | '))
    .filter((cells) => cells.at(-3) === 'done')
    .map((cells) => ({ id: cells[0]?.slice(2), file: cells.at(-2) ?? '', proof: cells.at(-1) ?? '' }));

  it('every row of the specification that is done names a file that exists and the title of a test', () => {
    const missing = done.flatMap(({ id, file, proof }) => [
      ...[...file.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path).filter((path) => !existsSync(path)),
      ...proof
        .split('<br>')
        .filter((title) => !isTitle(title))
        .map((title) => `${id}: ${title}`),
    ]);
    expect(done.length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });
});

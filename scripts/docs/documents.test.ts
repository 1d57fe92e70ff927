import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whyNoPath } from '../../packages/search-cluster/src/decide/upgrade/version-path.ts';
import { userPages } from './pages.ts';

const testFiles = ['cloud', 'packages', 'apps', 'scripts', 'examples'].flatMap((folder) => findTests(folder));
const testText = new Map(testFiles.map((file) => [file, readFileSync(file, 'utf8')]));

function findTests(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules' || entry.name === 'dist') return [];
    if (entry.isDirectory()) return findTests(path);
    return /\.(test|test-support|story)\.ts$/.test(entry.name) ? [path] : [];
  });
}

/** Cells of every table row of a document below its header. */
function rows(document: string): string[][] {
  return readFileSync(document, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| ?(id|rule) /.test(line))
    .map((line) => line.slice(2, -2).split(' | '));
}

const unquoted = (cell: string) => cell.replaceAll('`', '').trim();
const exists = (title: string) => [...testText.values()].some((text) => text.includes(title));

describe('docs/internal/SPEC-COVERAGE.md', () => {
  const coverage = rows('docs/internal/SPEC-COVERAGE.md').filter((cells) => /^S\d+$/.test(cells[0] ?? ''));

  it('SPEC-COVERAGE.md names an existing file and test for every row that is done', () => {
    const broken = coverage.flatMap(([id, , state, file, test]) => {
      if (state === 'open') return [];
      if (state !== 'done') return [`${id}: the state is ${state}`];
      const problems = [];
      if (!existsSync(unquoted(file ?? ''))) problems.push(`${id}: there is no file ${file}`);
      for (const title of (test ?? '').split('<br>'))
        if (!exists(unquoted(title))) problems.push(`${id}: there is no test ${title}`);
      return problems;
    });

    expect(coverage.length).toBeGreaterThan(100);
    expect(broken).toEqual([]);
  });

  it.skipIf(!existsSync('../shared/spec/operations-spec.md'))(
    'SPEC-COVERAGE.md has every row of the specification',
    () => {
      const specified = readFileSync('../shared/spec/operations-spec.md', 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('| ') && !/^\|[-| ]+\|$/.test(line));
      const known = readFileSync('docs/internal/SPEC-COVERAGE.md', 'utf8').replaceAll('`', '');
      const firstCell = (line: string) => line.slice(2).split(' | ')[0]!.replaceAll('`', '').trim();

      expect(
        specified
          .filter((line) => !known.includes(firstCell(line)))
          .map(firstCell)
          .filter((cell) => !headers.has(cell)),
      ).toEqual([]);
    },
  );
});

describe('docs/internal/REALITY.md', () => {
  const findings = rows('docs/internal/REALITY.md').filter((cells) => /^(FR|CR|DT)-|^RM\d/.test(cells[0] ?? ''));
  const ids = findings.map(([id]) => id);
  const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

  it('REALITY.md has a row for every finding', () => {
    const wanted = [
      ...[numbered('FR-D', 30), numbered('RM', 8), numbered('CR-D', 27)],
      ...[numbered('DT-F', 12), numbered('DT-X', 3), numbered('DT-E', 16)],
    ].flat();

    expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('REALITY.md names an existing test for what is fixed, and a decision or a reason for what is not', () => {
    const broken = findings.flatMap(([id, , state, what = '']) => {
      if (state === 'fixed')
        return what.split('<br>').flatMap((title) => (exists(unquoted(title)) ? [] : [`${id}: no test ${title}`]));
      if (state === 'declined') return /^decision \d{4}: /.test(what) ? [] : [`${id}: no decision`];
      return state === 'open' ? [] : [`${id}: the state is ${state}`];
    });

    expect(broken).toEqual([]);
  });
});

/** First cells of the specification's table headers. */
const headers = new Set([
  'Resource',
  'Input',
  'Field',
  'Setting',
  'State',
  'Address',
  'Method',
  'Option',
  'Command',
  'Port',
  'Event',
  'Condition',
  'Limit',
  'Policy',
]);

describe('docs/ASSUMPTIONS.md', () => {
  it('ASSUMPTIONS.md has a test for every rule that is modelled', () => {
    const rules = rows('docs/ASSUMPTIONS.md').filter((cells) => /^\d+$/.test(cells[0] ?? ''));

    expect(rules.length).toBeGreaterThanOrEqual(28);
    expect(rules.filter(([rule]) => !exists(`[rule ${rule}]`)).map(([rule]) => rule)).toEqual([]);
  });
});

describe('documents for users', () => {
  const pages = ['README.md', ...userPages];

  it.each(pages.filter((page) => page !== 'docs/ARCHITECTURE.md'))('%s does not refer to the specification', (page) => {
    expect(readFileSync(page, 'utf8')).not.toMatch(/the specification|SPEC-COVERAGE/i);
  });

  it('every upgrade of a cluster that a document shows is one that Elastic supports from the default version', () => {
    const [, from] = /\| `elasticsearch_version` .* \| (\d+\.\d+\.\d+) \|$/m.exec(
      readFileSync('docs/CONFIGURATION.md', 'utf8'),
    )!;
    const shown = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/cluster upgrade .*--to (\d\S*)/g)].map(([, to]) => to!),
    );

    expect(shown.length).toBeGreaterThan(0);
    expect(shown.map((to) => whyNoPath(from!, to)).filter((because) => because !== undefined)).toEqual([]);
  });
});

describe('outages of GitHub in the documents', () => {
  it('no document and no guided scenario promises that jobs survive an outage of GitHub', () => {
    const texts = ['README.md', ...userPages, 'apps/console/src/tools/scenarios.tsx', 'apps/console/src/tour/tours.ts'];

    expect(texts.filter((file) => /running jobs go on/i.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { alarmName as fleetAlarms } from '@drover/core/names/runner-fleet';
import { alarmName as clusterAlarms, uiAlarmName } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import { anchorsOf, blocksOf, root, textOf, typedPages, userPages } from './pages.ts';

describe('links of the documents', () => {
  it.each(['README.md', 'CONTRIBUTING.md', ...userPages])(
    'links of %s lead to files and sections that exist',
    (page) => {
      const text = textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
      const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
      const broken = targets
        .filter((target) => !/^https?:/.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.split('#');
          const path = file === '' ? page : join(dirname(page), file);
          if (!existsSync(join(root, path))) return true;
          return anchor !== undefined && !anchorsOf(textOf(path)).has(anchor);
        });

      expect(broken).toEqual([]);
    },
  );
});

it.each(readdirSync(join(root, 'docs/images')).filter((name) => /\.(png|svg|webp)$/.test(name)))(
  'docs/images/%s is shown in README.md or on a page',
  (picture) => {
    expect(['README.md', ...userPages].filter((page) => textOf(page).includes(picture))).not.toEqual([]);
  },
);

/** Each alarm with what stands in its name as the page writes it. */
const alarms: readonly string[] = [
  ...Object.entries(fleetAlarms).map(([kind, name]) =>
    name(['errors', 'duration', 'throttles'].includes(kind) ? '<function>' : '<asg>'),
  ),
  ...Object.values(clusterAlarms).map((name) => name('<cluster>')),
  ...Object.values(uiAlarmName).map((name) => name('<ui>')),
];

it.each(alarms)('docs/reference/alarms.md says what to do about the alarm %s', (alarm) => {
  const section = textOf('docs/reference/alarms.md')
    .split(/^### /m)
    .find((each) => each.split('\n')[0]!.includes(`\`${alarm}\``));

  expect(section, `no section names \`${alarm}\``).toMatch(
    /- \*\*Fires when\*\*[\s\S]*- \*\*Means\*\*[\s\S]*- \*\*Now\*\*/,
  );
});

describe('shell blocks of the documents', () => {
  const pages = userPages.filter((page) => /^docs\/(tutorial|how-to)\//.test(page));

  it('every page of the tutorial and of the how-to is typed in the docs lane', () => {
    expect(pages.filter((page) => !typedPages.includes(page))).toEqual([]);
  });

  it('few shell blocks are typed in no lane, and each that is not typed here says why', () => {
    const blocks = typedPages.flatMap((page) => blocksOf(textOf(page)).filter(({ language }) => language === 'sh'));
    const notRun = blocks.filter((block) => block.notRun !== undefined);

    expect(notRun.filter((block) => block.notRun!.length < 20)).toEqual([]);
    const nowhere = notRun.filter((block) => !/npm run test:\w+ /.test(block.notRun!));
    expect(nowhere.length).toBeLessThan(blocks.length / 3);
  });
});

it('README.md has at most 150 lines', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

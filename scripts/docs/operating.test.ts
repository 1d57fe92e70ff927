import { readFileSync } from 'node:fs';
import { alarmName as fleetAlarms } from '@drover/core/names/runner-fleet';
import { alarmName as clusterAlarms, uiAlarmName } from '@drover/core/names/search-cluster';
import { expect, it } from 'vitest';

const page = readFileSync('docs/OPERATING.md', 'utf8');

/** Each alarm with what stands in its name as the page writes it. */
const alarms: readonly string[] = [
  ...Object.entries(fleetAlarms).map(([kind, name]) =>
    name(['errors', 'duration', 'throttles'].includes(kind) ? '<function>' : '<asg>'),
  ),
  ...Object.values(clusterAlarms).map((name) => name('<cluster>')),
  ...Object.values(uiAlarmName).map((name) => name('<ui>')),
];

it.each(alarms)('docs/OPERATING.md says what to do about the alarm %s', (alarm) => {
  const row = page.split('\n').find((line) => line.startsWith('| ') && line.includes(`\`${alarm}\``));

  expect(row?.split(' | ').length, `no row of a table names \`${alarm}\``).toBe(4);
});

it('links of docs/OPERATING.md lead to its own sections and to files that exist', () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const sections = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slug(heading!)));
  const targets = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!);

  expect(targets.filter((target) => target.startsWith('#') && !sections.has(target.slice(1)))).toEqual([]);
  for (const target of targets.filter((each) => !/^(#|https:\/\/)/.test(each)))
    expect(() => readFileSync(`docs/${target}`), target).not.toThrow();
});

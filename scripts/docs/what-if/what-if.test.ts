import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withReports, withTime } from './what-if.ts';

const text = readFileSync(new URL('../../../docs/WHAT-IF.md', import.meta.url), 'utf8');

it('the script for docs/WHAT-IF.md finds both of its commands, and replaces nothing but their reports', () => {
  const asked: string[] = [];
  const changed = withReports(text, (argv) => {
    asked.push(argv.join(' '));
    return `${asked.length} reports\n`;
  });
  expect(asked).toEqual([
    expect.stringMatching(/^what-if small\.yaml .* --jobs week\.csv --svg .*docs\/images\/what-if\.svg$/),
    'what-if spot-above-base.yaml --jobs burst.csv --hours 6 --one-at-a-time',
  ]);
  const lines = new Set(text.split('\n'));
  expect(changed.split('\n').filter((line) => !lines.has(line))).toEqual(['1 reports', '2 reports']);
});

it('the script for docs/WHAT-IF.md finds the sentence with the processor time of the week', () => {
  expect(withTime(text, 125)).toContain('It needed 2 min 5 s of processor time');
});

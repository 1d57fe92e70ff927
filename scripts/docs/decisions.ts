/** Writes docs/decisions/index.md: every decision with its state. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrapMarkdown } from './wrap-markdown.ts';

export const decisionsPage = 'docs/decisions/index.md';

/** Numbers below the last one that have no file. */
function unusedNumbers(used: readonly number[]): string {
  const last = Math.max(...used);
  const unused = Array.from({ length: last }, (_, index) => index + 1).filter((number) => !used.includes(number));
  return `Numbers without a decision: ${unused.join(', ')}.`;
}

export function decisionsIndex(): string {
  const files = readdirSync('docs/decisions')
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .sort();
  const numberOf = (name: string) => Number(name.slice(0, 4));
  const rows = files.map((name) => {
    const text = readFileSync(`docs/decisions/${name}`, 'utf8');
    const title = /^# \d+\. (.+)$/m.exec(text)?.[1];
    const status = /^\*\*Status:\*\* (.+(?:\n.+)*)$/m.exec(text)?.[1]?.replaceAll('\n', ' ');
    if (title === undefined || status === undefined)
      throw new Error(`docs/decisions/${name} needs a title "# NUMBER. …" and a line "**Status:** …"`);
    return `| [${numberOf(name)}](${name}) | ${title} | ${status} |`;
  });
  return [
    '# Decisions',
    '',
    'Choices with a real alternative, half a page each. A decision that another one supersedes stays as it was.',
    unusedNumbers(files.map(numberOf)),
    '',
    '| number | decision | status |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(decisionsPage, wrapMarkdown(decisionsIndex()));

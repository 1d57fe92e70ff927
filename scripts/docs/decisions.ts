/** Writes docs/decisions/index.md: every decision with its state. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const decisionsPage = 'docs/decisions/index.md';

const never = 'Numbers 18, 43, 45 and 49 were never given to a decision that was kept.';

export function decisionsIndex(): string {
  const rows = readdirSync('docs/decisions')
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(`docs/decisions/${name}`, 'utf8');
      const title = /^# \d+\. (.+)$/m.exec(text)?.[1];
      const status = /^\*\*Status:\*\* (.+)$/m.exec(text)?.[1];
      if (title === undefined || status === undefined)
        throw new Error(`docs/decisions/${name} needs a title "# NUMBER. …" and a line "**Status:** …"`);
      return `| [${Number(name.slice(0, 4))}](${name}) | ${title} | ${status} |`;
    });
  return [
    '# Decisions',
    '',
    'Choices with a real alternative, half a page each. A decision that another one supersedes stays as it was.',
    never,
    '',
    '| number | decision | status |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(decisionsPage, decisionsIndex());

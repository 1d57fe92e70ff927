import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { markdownFiles, wrapMarkdown } from './wrap-markdown.ts';

it('no paragraph of a Markdown file is wider than 120 columns: npx tsx scripts/docs/wrap.ts wraps them', () => {
  const wide = markdownFiles().filter((file) => {
    const text = readFileSync(file, 'utf8');
    return wrapMarkdown(text) !== text;
  });
  expect(wide).toEqual([]);
});

it('wrapping Markdown keeps tables, code, headings and links whole, and changes nothing the second time', () => {
  const words = 'word '.repeat(40).trim();
  const kept = [`| ${words} |`, `# ${words}`, '```sh', words, '```', `    [label]: ${words}`].slice(0, 5).join('\n');
  const text = `- ${words} [a link with spaces](https://example.com/a) \`some code\`\n\n${kept}\n`;
  const wrapped = wrapMarkdown(text);
  expect(wrapped).toContain(kept);
  expect(wrapped).toContain('[a link with spaces](https://example.com/a)');
  expect(wrapped.split('\n')[1]).toMatch(/^ {2}\S/);
  expect(
    Math.max(
      ...wrapped
        .split('\n')
        .slice(0, 2)
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(120);
  expect(wrapMarkdown(wrapped)).toBe(wrapped);
});

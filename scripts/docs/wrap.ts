/** Wraps the Markdown files of the repository: `npx tsx scripts/docs/wrap.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { markdownFiles, wrapMarkdown } from './wrap-markdown.ts';

for (const file of markdownFiles()) {
  const before = readFileSync(file, 'utf8');
  const after = wrapMarkdown(before);
  if (after !== before) writeFileSync(file, after);
}

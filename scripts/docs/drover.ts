/** Writes docs/reference/drover.md from the command tree, so that the reference cannot differ from the command. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tree } from '../../apps/drover/src/tree/tree.ts';
import { commandSections } from './command-reference.ts';
import { wrapMarkdown } from './wrap-markdown.ts';

/** The path of the page. */
export const droverPage = fileURLToPath(new URL('../../docs/reference/drover.md', import.meta.url));

/** The reference of `drover` as Markdown. */
export function droverReference(): string {
  return [
    '# `drover`',
    '',
    '<!-- Written by scripts/docs/drover.ts from the command tree: change that, not this. -->',
    '',
    tree.summary,
    '',
    'The usual AWS variables name account and region. Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 failed or,',
    'of a `doctor`, something was found, 2 a mistake in what was typed, 3 (`doctor`, `fleet status`) nothing wrong was found but a part could not be',
    'read; others are listed with their command.',
    ...commandSections(tree),
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(droverPage, wrapMarkdown(droverReference()));

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The pages for users, by their paths from the root; what only contributors read is not among them. */
export const userPages: readonly string[] = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !/^(internal|decisions|\.vitepress)\/|^reference\/constructs/.test(name))
  .map((name) => `docs/${name}`)
  .sort();

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Pages whose shell blocks are typed, one page in one shell, in this order: the last one deletes everything. */
export const typedPages: readonly string[] = [
  ...['first-deployment', 'first-zone-loss'].map((name) => `docs/tutorial/${name}.md`),
  ...[
    'index',
    'install',
    'other-languages',
    'deploy-a-fleet',
    'authentication',
    'network',
    'scaling-mode',
    'types',
    'spot',
    'docker-and-sudo',
    'images-and-caches',
    'images',
  ].map(howTo),
  ...['deploy-a-cluster', 'tiers', 'terraform', 'run-a-fleet', 'backups', 'upgrade', 'recover'].map(howTo),
  'docs/sizing.md',
  'docs/cost.md',
  ...['run-a-cluster', 'console', 'watch', 'delete'].map(howTo),
];

function howTo(name: string): string {
  return `docs/how-to/${name}.md`;
}

export interface Block {
  readonly language: string;
  /** Name of the file that a reader saves it as: ```ts [app.ts]. */
  readonly file?: string;
  readonly text: string;
  /** Why it cannot be typed on the embedded cloud: <!-- not run: … --> before it. */
  readonly notRun?: string;
}

/** The fenced blocks of a page, those in lists too. */
export function blocksOf(text: string): readonly Block[] {
  const fenced =
    /^(?<before> *<!-- not run: (?<reason>.*?) -->\n)?(?<indent> *)```(?<language>\w+)(?: \[(?<file>.+?)\])?\n(?<body>[\s\S]*?)^ *```$/gm;
  return [...text.matchAll(fenced)].map(({ groups }) => {
    const { reason, indent = '', language = '', file, body = '' } = groups!;
    return {
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      ...(file === undefined ? {} : { file }),
      ...(reason === undefined ? {} : { notRun: reason }),
    };
  });
}

/** Anchors of a page, as GitHub and the site make them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const withoutBlocks = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return new Set([...withoutBlocks.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!)));
}

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

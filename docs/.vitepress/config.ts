import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig, type MarkdownOptions } from 'vitepress';

const docs = new URL('../', import.meta.url);

/** As GitHub makes them, so that a link works there and here. */
const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** A link to a file of the repository that is no page here becomes its text. */
const withoutOutsideLinks: NonNullable<MarkdownOptions['config']> = (md) => {
  md.core.ruler.push('outside-links', ({ tokens, env }) => {
    const folder = posix.dirname((env as { relativePath: string }).relativePath);
    for (const { children } of tokens) {
      let open = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const target = token.attrGet('href') ?? '';
          open = !/^(https?:|#)/.test(target) && /^(\.\.|internal\/)/.test(posix.join(folder, target));
        }
        if (!open || !token.type.startsWith('link_')) continue;
        token.type = 'text';
        token.tag = '';
        token.nesting = 0;
        token.content = '';
      }
    }
  });
};

const titleOf = (path: string) => /^# (.+)$/m.exec(readFileSync(new URL(path, docs), 'utf8'))![1]!;
const page = (path: string, text = titleOf(path)) => ({
  text: text.replaceAll('`', ''),
  link: `/${path.replace(/\.md$/, '')}`,
});
const section = (text: string, paths: readonly string[], collapsed?: boolean) => ({
  text,
  ...(collapsed === undefined ? {} : { collapsed }),
  items: paths.map((path) => page(path)),
});
const below = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}.md`);
const decisions = readdirSync(new URL('decisions/', docs))
  .filter((name) => /^\d/.test(name))
  .sort();

export default defineConfig({
  title: 'Drover',
  description: 'Self-hosted GitHub runners and Elasticsearch clusters on AWS, tried on a laptop first',
  lang: 'en-GB',
  // Diagrams and pictures follow the system's colours, as pages on GitHub do.
  appearance: 'force-auto',
  srcExclude: ['internal/**'],
  cacheDir: '../.cache/vitepress',
  // The index of the search is one file, which is fetched when a reader searches: it grows with the pages.
  vite: { build: { chunkSizeWarningLimit: 1_000 } },
  markdown: { anchor: { slugify }, config: withoutOutsideLinks },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    externalLinkIcon: true,
    nav: [
      { text: 'Tutorial', link: '/tutorial/first-zone-loss' },
      { text: 'How-to', link: '/how-to/' },
      { text: 'Reference', link: '/CONFIGURATION' },
    ],
    sidebar: [
      section('Tutorial', below('tutorial', ['first-zone-loss', 'first-deployment'])),
      section('Concepts', below('concepts', ['fleet', 'drain', 'search-node', 'upgrade', 'security-boundary'])),
      section(
        'How-to',
        below('how-to', [
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
          'images',
          'images-and-caches',
          'deploy-a-cluster',
          'terraform',
          'run-a-fleet',
          'run-a-cluster',
          'console',
          'watch',
          'backups',
          'recover',
          'upgrade',
          'delete',
        ]),
      ),
      section('Decide', ['security.md', 'cost.md', 'WHAT-IF.md', 'sizing.md', 'COMPARISON.md']),
      section(
        'Migrate',
        below('migration', ['terraform-aws-github-runner', 'actions-runner-controller', 'terraform-aws-elasticsearch']),
      ),
      section('Reference', [
        'CONFIGURATION.md',
        'reference/constructs.md',
        'reference/drover.md',
        'CLUSTER-CLI.md',
        'reference/doctor.md',
        'reference/alarms.md',
        'reference/metrics.md',
      ]),
      section('Help', ['troubleshooting.md', 'faq.md', 'glossary.md']),
      section('How it is built', ['ARCHITECTURE.md', 'ASSUMPTIONS.md']),
      section(
        'Design decisions',
        decisions.map((name) => `decisions/${name}`),
        true,
      ),
    ],
  },
});

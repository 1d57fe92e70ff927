import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clusterCliPage, clusterCliReference } from './cluster-cli.ts';
import { configurationPage, configurationReference } from './configuration.ts';
import { constructsPage, sourcesNote } from './constructs.ts';
import { decisionsIndex, decisionsPage } from './decisions.ts';
import { droverPage, droverReference } from './drover.ts';
import { metricsPage, metricsReference } from './metrics.ts';
import { wrapMarkdown } from './wrap-markdown.ts';

it('docs/reference/constructs.md is current: npx tsx scripts/docs/constructs.ts writes it', () => {
  expect(readFileSync(constructsPage, 'utf8').trimEnd().split('\n').at(-1)).toBe(sourcesNote());
});

it.each([
  ['docs/CLUSTER-CLI.md', 'cluster-cli.ts', clusterCliPage, clusterCliReference],
  ['docs/decisions/index.md', 'decisions.ts', decisionsPage, decisionsIndex],
  ['docs/CONFIGURATION.md', 'configuration.ts', configurationPage, configurationReference],
  ['docs/reference/drover.md', 'drover.ts', droverPage, droverReference],
  ['docs/reference/metrics.md', 'metrics.ts', metricsPage, metricsReference],
])('%s is current: npx tsx scripts/docs/%s writes it', (_name, _script, page, reference) => {
  expect(readFileSync(page, 'utf8')).toBe(wrapMarkdown(reference()));
});

/** Templates that anyone can deploy without a file of their own: names, ids and sizes are parameters. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { writePlainTemplate } from '../../packages/local/src/synth/plain-template.ts';
import { runnerFleet } from './templates/runner-fleet.ts';
import { searchCluster, searchUi } from './templates/search.ts';

/** The templates of a release by the names of their files. */
export const templates: Readonly<Record<string, (stack: Stack) => void>> = {
  'runner-fleet': (stack) => runnerFleet(stack, 'x86_64'),
  'runner-fleet-arm64': (stack) => runnerFleet(stack, 'arm64'),
  'search-cluster': (stack) => searchCluster(stack, 'x86_64'),
  'search-cluster-arm64': (stack) => searchCluster(stack, 'arm64'),
  'search-ui': searchUi,
};

/** Writes the templates, their assets and how to deploy them into a folder. */
export function writeTemplates(outdir: string, names: readonly string[] = Object.keys(templates)): void {
  for (const name of names) writePlainTemplate(outdir, name, templates[name]!);
  copyFileSync(join(import.meta.dirname, 'templates/README.md'), join(outdir, 'README.md'));
}

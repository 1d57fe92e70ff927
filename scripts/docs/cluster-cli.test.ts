import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clusterCliPage, clusterCliReference } from './cluster-cli.ts';

it('docs/CLUSTER-CLI.md is current: npx tsx scripts/docs/cluster-cli.ts writes it', () => {
  expect(readFileSync(clusterCliPage, 'utf8')).toBe(clusterCliReference());
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { coverageFile, renderCoverage } from './coverage.ts';

it('COVERAGE.md says what the embedded cloud models now (npx tsx scripts/coverage.ts writes it)', () => {
  expect(readFileSync(coverageFile, 'utf8')).toBe(renderCoverage());
});

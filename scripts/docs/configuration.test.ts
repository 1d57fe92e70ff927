import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationPage, configurationReference } from './configuration.ts';

it('docs/CONFIGURATION.md is current: npx tsx scripts/docs/configuration.ts writes it', () => {
  expect(readFileSync(configurationPage, 'utf8')).toBe(configurationReference());
});

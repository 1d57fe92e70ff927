import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationPage, configurationReference } from './configuration.ts';

it('keeps the reference of inputs and outputs up to date: npx tsx scripts/docs/configuration.ts writes it', () => {
  expect(readFileSync(configurationPage, 'utf8')).toBe(configurationReference());
});

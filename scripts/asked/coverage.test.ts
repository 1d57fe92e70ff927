import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wrapMarkdown } from '../docs/wrap-markdown.ts';
import { committedAsked, differences, isRecorded, mergeAsked, recordCommand, wanted } from './asked.ts';
import { coverageFile, modelled, renderCoverage, unasked } from './coverage.ts';

/** Planned work counts while its decision is not yet accepted. */
function isReason(reason: string): boolean {
  const [, kind = '', text = ''] = /^(\w+): (.+)$/.exec(reason) ?? [];
  if (kind === 'documented') return existsSync(text);
  if (kind === 'planned') return existsSync(text) && /^\*\*Status:\*\* open/m.test(readFileSync(text, 'utf8'));
  return ['contract', 'inverse', 'level', 'tests'].includes(kind);
}

describe('the embedded cloud models what something asks for', () => {
  it('COVERAGE.md is current (npm run coverage writes it)', () => {
    expect(readFileSync(coverageFile, 'utf8')).toBe(wrapMarkdown(renderCoverage()));
  });

  it('the contract against an account is not recorded: it would empty the record of the same test file', () => {
    expect(isRecorded({})).toBe(true);
    expect(isRecorded({ DROVER_CONTRACT_TARGET: 'aws' })).toBe(false);
  });

  it('every modelled operation, resource type and API has an asker', () => {
    expect(unasked(committedAsked()), `${recordCommand} records the test files that ask`).toEqual([]);
  });

  it('a part with a written reason has no asker, and the reason is a contract, a document, an inverse, a level, tests or an open decision', () => {
    const asked = committedAsked();
    const parts = Object.values(modelled()).flat();
    const entries = Object.entries(wanted());

    expect(entries.filter(([name]) => asked[name] !== undefined).map(([name]) => name)).toEqual([]);
    expect(entries.filter(([name]) => !parts.includes(name)).map(([name]) => name)).toEqual([]);
    expect(entries.filter(([, reason]) => !isReason(reason))).toEqual([]);
  });

  it('a modelled part without an asker is found', () => {
    const [first = '', ...rest] = Object.keys(committedAsked()).filter((name) => modelled().operations.includes(name));
    const others = Object.fromEntries(rest.map((name) => [name, { drover: '' }]));

    expect(unasked(others)).toContain(first);
  });

  it('a record that differs from the committed list is found, in both directions', () => {
    const committed = { 'aws s3:GetObject': { drover: '' }, 'aws s3:PutObject': { drover: '' } };
    const recorded = { 'aws s3:GetObject': { drover: '' }, 'aws s3:HeadObject': { functions: '' } };

    expect(differences(recorded, committed, true)).toEqual([
      'asked, but not in cloud/asked.json: aws s3:HeadObject',
      'in cloud/asked.json, but not asked: aws s3:PutObject',
    ]);
    expect(differences(recorded, committed, false)).toHaveLength(1);
  });

  it('the record of a test file replaces the earlier entries of that file, and leaves those of others', () => {
    const file = 'apps/drover/test/console.test.ts';
    const other = 'apps/drover/test/why.test.ts';
    const before = {
      'aws s3:DeleteObject': { drover: file },
      'aws s3:GetObject': { drover: file, functions: 'apps/functions/test/rates.test.ts' },
      'aws s3:HeadObject': { drover: '' },
      'aws s3:PutObject': { drover: other, templates: '' },
    };

    expect(
      mergeAsked(before, [{ file, names: ['aws s3:HeadObject', 'aws s3:ListBuckets', 'aws s3:PutObject'] }]),
    ).toEqual({
      'aws s3:GetObject': { functions: 'apps/functions/test/rates.test.ts' },
      'aws s3:HeadObject': { drover: '' },
      'aws s3:ListBuckets': { drover: file },
      'aws s3:PutObject': { drover: other, templates: '' },
    });
    expect(
      mergeAsked(before, [
        { file, names: [] },
        { file: other, names: ['aws s3:GetObject'] },
      ]),
    ).toEqual({
      'aws s3:GetObject': { drover: other, functions: 'apps/functions/test/rates.test.ts' },
      'aws s3:HeadObject': { drover: '' },
      'aws s3:PutObject': { templates: '' },
    });
    expect(mergeAsked({}, [{ file: 'cloud/aws/src/wire/fuzz.test.ts', names: ['aws s3:GetObject'] }])).toEqual({});
  });
});

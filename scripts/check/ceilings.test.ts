import { describe, expect, it } from 'vitest';
import { aboveCeilings } from './ceilings.ts';

describe('ceilings of lines of code', () => {
  it('the check of lines reports a package above its ceiling and a package without one, and nothing else', () => {
    const files = [
      ['packages/core/src/a.ts', 60],
      ['packages/core/src/b.ts', 41],
      ['packages/stage/src/c.ts', 50],
      ['scripts/d.ts', 10],
    ] as const;

    expect(aboveCeilings(files, { 'packages/core': 100, 'packages/stage': 50 })).toEqual([
      'more lines of code (101) than its ceiling (100), cut it or raise it by a decision: packages/core',
      'package without a ceiling in scripts/check/ceilings.json: scripts',
    ]);
  });
});

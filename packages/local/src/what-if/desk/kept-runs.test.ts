import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeptRuns } from './kept-runs.ts';

it('the twenty newest results of what-if are kept with their pictures, and numbers are not used twice', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-kept-runs-'));
  const kept = new KeptRuns(join(folder, 'what-if'));
  expect([kept.nextId, kept.newestFirst()]).toEqual([1, []]);
  for (let made = 0; made < 23; made++) {
    const run = {
      title: 'a week',
      state: 'done',
      percent: 100,
      problem: undefined,
      notes: [],
      answer: undefined,
    } as const;
    kept.keep({ id: kept.nextId, ...run }, made % 2 === 0 ? '<svg/>' : undefined);
  }
  expect(kept.nextId).toBe(24);
  expect(kept.newestFirst().map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => 23 - index));
  expect([kept.picture(23), kept.picture(22), kept.run(3)]).toEqual(['<svg/>', undefined, undefined]);
  expect(readdirSync(join(folder, 'what-if'))).toHaveLength(30);
});

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { patchOf, removals } from './removed.ts';

const ids = Object.keys(removals);

it('each patch that takes a fix out belongs to a campaign that reports the defect', () => {
  const patches = readdirSync('scripts/campaign/removed').map((file) => file.replace('.patch', ''));

  expect(patches.toSorted()).toEqual(ids.toSorted());
});

it.each(ids)('the patch that takes the fix of %s out applies to this tree', (id) => {
  expect(() => execFileSync('git', ['apply', '--check', patchOf(id)], { stdio: 'pipe' })).not.toThrow();
});

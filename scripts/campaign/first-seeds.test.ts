import { expect, test } from 'vitest';
import { firstSeedsOf } from './first-seeds.ts';

test('a commit gives three first seeds above 0, and another commit gives others', () => {
  const seeds = firstSeedsOf('c3df9394d29aa0ae4a1fe291df219795dbb8705f');
  expect(seeds).toEqual([0xc3df93 + 1, 0x94d29a + 1, 0xa0ae4a + 1]);
  expect(firstSeedsOf('0'.repeat(40))).toEqual([1, 1, 1]);
});

import { describe, expect, it } from 'vitest';
import { acts } from './acts.ts';
import { excusedPairs, pairNames } from './again.ts';
import { faults } from './faults.ts';
import { pairsOf, partsOf, walkOfPairs } from './pairs.ts';

const key = ({ first, second }: { readonly first: string; readonly second: string }) => `${first}, then ${second}`;

describe('pairs of faults and acts', () => {
  it.each([1, 2, 5, 30])('a walk over %s names has each ordered pair of them once', (count) => {
    const names = Array.from({ length: count }, (_, index) => `name ${index}`);
    const pairs = pairsOf(walkOfPairs(names)).map(key);

    expect(pairs).toHaveLength(count * count);
    expect(new Set(pairs).size).toBe(count * count);
  });

  it('parts of a walk have the same pairs as the walk', () => {
    const walk = walkOfPairs(['a', 'b', 'c', 'd']);
    const parts = partsOf(walk, 5).flatMap(pairsOf);

    expect(parts).toEqual(pairsOf(walk));
  });

  it('every fault and act comes in pairs, and at most a tenth of the pairs is excused, each with a reason', () => {
    const names = pairNames();
    const excused = names.flatMap((first) =>
      names.filter((second) => excusedPairs(first, second) !== undefined).map((second) => key({ first, second })),
    );

    expect([...names].sort()).toEqual([...Object.keys(faults), ...Object.keys(acts)].sort());
    expect(excused.length).toBeLessThanOrEqual((names.length * names.length) / 10);
  });
});

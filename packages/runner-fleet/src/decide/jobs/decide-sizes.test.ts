import { describe, expect, it } from 'vitest';
import { decideSizes, leaves, sizesOf, withTaken } from './decide-sizes.ts';

const members = (count: number, isFallback: boolean, lifecycleState = 'InService') =>
  Array.from({ length: count }, (_, index) => ({
    id: `i-${isFallback ? 'f' : 'm'}${index}`,
    lifecycleState,
    healthy: true,
    protectedFromScaleIn: true,
    inWarmPool: false,
    isFallback,
  }));

/** Desired and present instances of the group and of its fallback. */
const sizes = ([main, mainPresent]: readonly number[], [desired, present]: readonly number[] = []) => ({
  main: { desired: main!, present: mainPresent! },
  fallback: desired === undefined ? undefined : { desired, present: present! },
});
const main = (capacity: number) => ({ kind: 'set-desired', capacity });
const fallback = (capacity: number) => ({ kind: 'set-desired', capacity, of: 'fallback' });

describe('the sizes of a group and its on-demand fallback', () => {
  it.each([
    ['a group alone grows', sizes([1, 1]), 3, false, [main(3)]],
    ['a group alone is never made smaller', sizes([4, 1]), 3, false, []],
    ['spot takes what is wanted', sizes([1, 1], [0, 0]), 3, false, [main(3)]],
    ['the fallback takes it while spot is closed', sizes([1, 1], [0, 0]), 3, true, [fallback(2)]],
    ['what spot could not launch moves to the fallback', sizes([5, 2], [0, 0]), 5, true, [main(2), fallback(3)]],
    ['what the fallback could not launch moves back', sizes([1, 1], [4, 2]), 5, false, [fallback(2), main(3)]],
    ['both together stay below the maximum', sizes([5, 5], [3, 3]), 12, true, [fallback(5)]],
    ['nothing is wanted more than there is', sizes([2, 2], [1, 1]), 3, true, []],
    ['a group that may have none gives up what it could not launch', sizes([0, 0], [3, 1]), 0, false, [fallback(1)]],
  ] as const)('%s', (_, before, wanted, spotIsClosed, expected) => {
    const maxSize = wanted === 0 ? 0 : 10;

    expect(decideSizes(before, { maxSize, wanted, spotIsClosed })).toEqual(expected);
  });

  it('a maximum that was lowered takes from the fallback only what it could not launch', () => {
    const facts = { maxSize: 4, wanted: 4, spotIsClosed: true };

    expect(decideSizes(sizes([2, 2], [6, 3]), facts)).toEqual([fallback(3)]);
  });

  it('each host that leaves makes its own group smaller, unless that wants none', () => {
    const group = {
      desiredCapacity: 2,
      fallback: { desiredCapacity: 0, maxSize: 0 },
      instances: [...members(2, false), ...members(1, true), ...members(1, false, 'Terminating:Wait')],
    };
    const counted = sizesOf(group);

    expect(counted).toEqual(sizes([2, 2], [0, 1]));
    expect([leaves(counted, group, 'i-m0'), leaves(counted, group, 'i-f0')]).toEqual([true, false]);
    expect(counted).toEqual(sizes([1, 1], [0, 0]));
  });

  it('a member that EC2 takes back is not one that stays: its place moves to the fallback once', () => {
    const group = (desired: number) =>
      withTaken(
        {
          name: 'ci',
          minSize: 0,
          maxSize: 10,
          hasWarmPool: false,
          desiredCapacity: desired,
          fallback: { desiredCapacity: 0, maxSize: 10 },
          instances: members(2, false),
        },
        new Map([['i-m1', { at: 0, workers: 1, phase: 'draining', reclaimed: true }]]),
      );
    const before = sizesOf(group(2));
    const given = sizesOf(group(1));
    const facts = { maxSize: 10, wanted: 2 };

    expect(decideSizes(before, { ...facts, spotIsClosed: true })).toEqual([main(1), fallback(1)]);
    expect(decideSizes(before, { ...facts, spotIsClosed: false })).toEqual([]);
    expect([leaves(before, group(2), 'i-m1'), leaves(given, group(1), 'i-m1')]).toEqual([true, false]);
    expect([before.main, given.main]).toEqual([
      { desired: 1, present: 1 },
      { desired: 1, present: 1 },
    ]);
  });
});

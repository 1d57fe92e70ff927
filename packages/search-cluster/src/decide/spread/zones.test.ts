import { expect, it } from 'vitest';
import { majorityZone } from './zones.ts';

it.each([
  ['1/1/1', 3, undefined],
  ['0/2/1', 3, { zone: 'b', masters: 2, of: 3, avoidable: true }],
  ['2/1', 3, { zone: 'a', masters: 2, of: 3, avoidable: false }],
  ['1', 1, { zone: 'a', masters: 1, of: 1, avoidable: false }],
  ['2/2/1', 5, undefined],
  ['3/1/1', 5, { zone: 'a', masters: 3, of: 5, avoidable: true }],
  // One of four does not vote, perhaps that of the other zone.
  ['1/2/1', 3, { zone: 'b', masters: 2, of: 4, avoidable: true }],
  ['2/2/2', 5, undefined],
  ['0/0/0', 3, undefined],
] as const)(
  'masters that are %s by zone, of which there should be %i, have this zone with a majority: %o',
  (shown, minSize, expected) => {
    const counts = shown.split('/').map(Number);
    const zones = counts.map((_, at) => 'abc'[at]!);
    const masters = zones.flatMap((zone, at) =>
      Array.from({ length: counts[at]! }, (_, index) => ({
        instanceId: `${zone}${index}`,
        lifecycleState: 'InService',
        zone,
      })),
    );

    expect(majorityZone({ zones, minSize, members: masters })).toEqual(expected);
  },
);

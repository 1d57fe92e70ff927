import { expect, it } from 'vitest';
import { roomForLostZone } from './survives.ts';

it.each([
  [3, 3, /^losing a zone needs room for 1 of 3 data nodes .* at most 56 % full \(it needs 113 GiB then, 113 are free/],
  [5, 3, /^losing a zone needs room for 2 of 5 data nodes .* at most 51 % full \(it needs 204 GiB then, 204 are free/],
  [6, 2, /^losing a zone needs room for 3 of 6 data nodes .* at most 42 % full/],
  [2, 2, /^undefined$/],
])('synthesis says what losing a zone needs: %i data nodes of 200 GiB in %i zones', (count, zones, says) => {
  expect(String(roomForLostZone({ count, volumeGiB: 200, zones }))).toMatch(says);
});

import { expect, it } from 'vitest';
import { bytesText } from './units.ts';

it.each([
  [0, '0 B'],
  [0.54, '0.5 B'],
  [1.0076, '1.0 B'],
  [1023, '1023 B'],
])('names a rate of %s bytes a second as %s, also when a drain hardly moves', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

import { expect, it } from 'vitest';
import { decideNodeLeftDelay } from './node-left-delay.ts';

const values = new Map([
  ['without', undefined],
  ['five', '5m'],
  ['own', '30s'],
]);

it.each([
  ['the first value goes to indices without one', undefined, '5m', ['without'], '5m'],
  ['another value goes to those with the one before, too', '5m', '10m', ['without', 'five'], '10m'],
  ['an unchanged one goes to new indices', '5m', '5m', ['without'], '5m'],
  ['the default takes away what was set before', '5m', '1m', ['five'], null],
  ['the default after the default changes nothing', '1m', '1m', [], null],
  ['a value that equals the default of before was set by a user', '1m', '5m', ['without'], '5m'],
])('the delay of a lost node: %s', (_title, noted, wanted, indices, value) => {
  expect(decideNodeLeftDelay({ values, noted, wanted })).toEqual({ indices, value });
});

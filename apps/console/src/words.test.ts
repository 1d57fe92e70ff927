import { expect, it } from 'vitest';
import { span, waitText } from './words.ts';

it('a wait is shown in seconds, minutes or hours with one decimal at most', () => {
  expect([0, 45.4, 120, 750, 7_200, 11_520].map(waitText)).toEqual([
    '0 s',
    '45 s',
    '2 min',
    '12.5 min',
    '2 h',
    '3.2 h',
  ]);
});

it('a span of time is shown in at most two units', () => {
  expect([40_000, 720_000, 11_100_000, 1_339_200_000].map(span)).toEqual(['40 s', '12 min', '3 h 05 min', '15 d 12 h']);
});

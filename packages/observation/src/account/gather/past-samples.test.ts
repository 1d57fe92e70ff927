import { expect, it } from 'vitest';
import { sampleOf } from './past-samples.ts';

const known = { desired: 4, max: 8, inService: 4 };

it.each([
  ['runners that work and wait', { ...known, busy: 3, idle: 1 }, { busy: 3, idle: 1, away: 0 }],
  ['what GitHub does not list', { ...known, busy: 1, idle: 1 }, { busy: 1, idle: 1, away: 2 }],
  ['a runner that drains and still works', { ...known, busy: 5, draining: 2 }, { busy: 5, draining: 1, away: 0 }],
  ['more idle runners than instances', { ...known, idle: 9 }, { busy: 0, idle: 4, away: 0 }],
])('a sample of CloudWatch counts each instance once: %s', (_, counts, expected) => {
  const [sample] = sampleOf(7, counts);
  expect(sample).toMatchObject({ at: 7, desired: 4, max: 8, queued: undefined, ...expected });
});

it('a moment of which Auto Scaling has no figures is left out of the chart', () => {
  expect(sampleOf(7, { busy: 1, idle: 1 })).toEqual([]);
});

import type { WhatIfFigures, WhatIfReport } from '@drover/observation/api';
import { expect, it } from 'vitest';
import { widerThan } from './wider.ts';

const run = {
  configurations: {
    small: { idleTarget: 1, maxSize: 4, mode: 'idle' },
    large: { idleTarget: 2, maxSize: 8, mode: 'idle' },
  },
  asked: { idleTargets: [1, 2], maxSizes: [4, 8], modes: ['idle'], jobs: { kind: 'week' }, maxWaitSeconds: 60 },
} as const;
const figures = (name: string, p95: number, peakRunners: number) =>
  ({ name, waitSeconds: { p95 }, peakRunners }) as unknown as WhatIfFigures;
const report = (cheapest: WhatIfReport['cheapest'], peak: number) => ({
  cheapest,
  configurations: [figures('small', 900, 4), figures('large', 300, peak)],
});

it.each([
  [
    'the best one reached its maximum: twice that',
    null,
    8,
    { words: 'max 16', question: { ...run.asked, maxSizes: [16] } },
  ],
  [
    'the best one did not need all: twice as many idle runners',
    null,
    7,
    { words: 'idle target 4', question: { ...run.asked, idleTargets: [4] } },
  ],
  ['one is good enough: nothing', 'large', 8, undefined],
])('what-if offers a wider question if %s', (_, cheapest, peak, expected) => {
  expect(widerThan(run, report(cheapest, peak))).toEqual(expected);
});

it('what-if offers no wider question for a result that does not have its question', () => {
  expect(widerThan({ ...run, asked: undefined }, report(null, 8))).toBeUndefined();
});

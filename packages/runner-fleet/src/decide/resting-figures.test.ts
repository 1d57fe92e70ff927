import { metrics } from '@drover/core/names/runner-fleet';
import { expect, it } from 'vitest';
import type { GroupFacts } from '../model/fleet.ts';
import { publishedFigures } from './resting-figures.ts';

const figures = {
  [metrics.idle]: 0,
  [metrics.demandSignalAge]: 55,
  [metrics.waitingJobs]: 0,
  [metrics.hookAge]: 0,
  [metrics.bootFailures]: 0,
};
const empty = { instances: [] };
const serving = { instances: [{ id: 'i-1' }] } as unknown as Pick<GroupFacts, 'instances'>;

it('a fleet at rest publishes only the metrics whose silence is an alarm', () => {
  expect(publishedFigures(figures, [empty, empty])).toEqual({ [metrics.idle]: 0, [metrics.demandSignalAge]: 55 });
});

it.each([
  ['an instance of any group', figures, [empty, serving]],
  ['a job that waits', { ...figures, [metrics.waitingJobs]: 1 }, [empty]],
  ['a boot that failed', { ...figures, [metrics.bootFailures]: 1 }, [empty]],
  ['an idle runner that GitHub still counts', { ...figures, [metrics.idle]: 1 }, [empty]],
])('every metric is published again, zeros too, with %s', (_, values, groups) => {
  expect(publishedFigures(values, groups)).toEqual(values);
});

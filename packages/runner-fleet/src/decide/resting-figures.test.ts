import { metrics } from '@drover/core/names/runner-fleet';
import { expect, it } from 'vitest';
import type { GroupFacts } from '../model/fleet.ts';
import { publishedFigures, restingEveryMs } from './resting-figures.ts';

const figures = {
  [metrics.idle]: 0,
  [metrics.demandSignalAge]: 55,
  [metrics.waitingJobs]: 0,
  [metrics.hookAge]: 0,
  [metrics.bootFailures]: 0,
  [metrics.groupRoom]: 4,
};
const empty = { instances: [] };
const serving = { instances: [{ id: 'i-1' }] } as unknown as Pick<GroupFacts, 'instances'>;

it('a fleet at rest publishes only the metric whose silence is an alarm, every third minute', () => {
  expect(publishedFigures(figures, [empty, empty], restingEveryMs)).toEqual({ [metrics.demandSignalAge]: 55 });
  expect(publishedFigures(figures, [empty, empty], restingEveryMs - 1)).toBeUndefined();
});

it('a fleet at rest whose jobs are not known publishes nothing, so that the alarm on silence fires', () => {
  expect(publishedFigures({ [metrics.hookAge]: 0 }, [empty], restingEveryMs)).toBeUndefined();
});

it.each([
  ['an instance of any group', figures, [empty, serving]],
  ['a job that waits', { ...figures, [metrics.waitingJobs]: 1 }, [empty]],
  ['a boot that failed', { ...figures, [metrics.bootFailures]: 1 }, [empty]],
  ['an idle runner that GitHub still counts', { ...figures, [metrics.idle]: 1 }, [empty]],
  ['a group that is at its maximum', { ...figures, [metrics.groupRoom]: 0 }, [empty]],
])('every metric is published each minute, zeros too, with %s', (_, values, groups) => {
  expect(publishedFigures(values, groups, 0)).toEqual(values);
});

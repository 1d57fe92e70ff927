import { expect, it } from 'vitest';
import { shownJobs } from './shown-jobs.ts';

it('the last 200 jobs that ended are shown, whatever their order, beside all that wait or run', () => {
  const ended = Array.from({ length: 201 }, (_, id) => ({ id, endedAt: 1_000 + id }));
  const others = [{ id: 500 }, { id: 501, endedAt: undefined }];

  const ids = shownJobs([...ended.toReversed(), ...others]).map(({ id }) => id);

  expect([ids.length, ids.includes(0), ids[0], ids.slice(-2)]).toEqual([202, false, 200, [500, 501]]);
});

import { describe, expect, it } from 'vitest';
import { type JobsOfGroup, waitingJobs } from './waiting-jobs.ts';

const jobs: JobsOfGroup = { scaleSetId: 7, assigned: 0, busy: 0, waiting: [], takesAll: false };

describe('jobs that wait for an instance of a group', () => {
  it.each<[string, Partial<JobsOfGroup>, number]>([
    ['jobs of another type do not count', { waiting: [7, 8, 8] }, 1],
    ['jobs without a scale set do not count for a group of jobs mode', { waiting: [undefined] }, 0],
    ['a type without a scale set has no jobs', { scaleSetId: undefined, waiting: [undefined, 8] }, 0],
    [
      'in idle mode the group of a fleet takes every job',
      { scaleSetId: undefined, waiting: [undefined, 8], takesAll: true },
      2,
    ],
    ['a job on an instance that leaves waits for another', { assigned: 3, busy: 1, waiting: [7] }, 2],
  ])('%s', (_, change, count) => {
    expect(waitingJobs({ ...jobs, ...change })).toBe(count);
  });
});

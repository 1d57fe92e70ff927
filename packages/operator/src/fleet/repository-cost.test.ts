import { describe, expect, it } from 'vitest';
import type { FleetJob } from './jobs.ts';
import { costByRepository } from './repository-cost.ts';

const hour = 3_600_000;
const window = { from: 100 * hour, to: 110 * hour };

const job = (runner: string, repository: string | null, from: number, hours: number | null): FleetJob => ({
  startedAt: new Date(from * hour).toISOString(),
  repository,
  workflow: 'ci',
  job: 'build',
  runId: '1',
  runner,
  seconds: hours === null ? null : hours * 3600,
  result: hours === null ? 'running' : 'Succeeded',
});

describe('the cost of repositories', () => {
  it('an instance with one job costs the repository of that job, with its boot and the time after the job', () => {
    const { repositories, withoutJob } = costByRepository(
      [{ id: 'i-1', cost: 4 }],
      [job('i-1', 'a/b', 102, 1)],
      window,
    );

    expect(repositories).toEqual([{ repository: 'a/b', jobs: 1, hours: 1, cost: 4 }]);
    expect(withoutJob).toBe(0);
  });

  it('the cost of an instance with several jobs is divided by their run time, the most expensive repository first', () => {
    const jobs = [job('i-1', 'a/short', 101, 1), job('i-1', 'a/long', 102, 3), job('i-1', 'a/short', 106, 1)];

    expect(costByRepository([{ id: 'i-1', cost: 5 }], jobs, window).repositories).toEqual([
      { repository: 'a/long', jobs: 1, hours: 3, cost: 3 },
      { repository: 'a/short', jobs: 2, hours: 2, cost: 2 },
    ]);
  });

  it('an instance without a job belongs to no repository', () => {
    const instances = [
      { id: 'i-1', cost: 1 },
      { id: 'i-2', cost: 2 },
    ];

    expect(costByRepository(instances, [job('i-1', 'a/b', 102, 1)], window).withoutJob).toBe(2);
  });

  it('a job counts within the period only, and one that runs until its end', () => {
    const jobs = [job('i-1', 'a/early', 98, 3), job('i-1', 'a/running', 107, null)];

    expect(costByRepository([{ id: 'i-1', cost: 8 }], jobs, window).repositories).toEqual([
      { repository: 'a/running', jobs: 1, hours: 3, cost: 6 },
      { repository: 'a/early', jobs: 1, hours: 1, cost: 2 },
    ]);
  });

  it('jobs whose repository is not known are counted together', () => {
    const jobs = [job('i-1', null, 102, 1), job('i-1', null, 104, 1)];

    expect(costByRepository([{ id: 'i-1', cost: 1 }], jobs, window).repositories).toEqual([
      { repository: null, jobs: 2, hours: 2, cost: 1 },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { FleetInstance, GroupFacts } from '../../model/fleet.ts';
import type { HostNote, JobNote } from '../../model/jobs.ts';
import { decideCeiling, decideWant } from './decide-want.ts';
import { noteEvents } from './note-events.ts';

const now = 10_000_000;
const minute = 60_000;
const none = { available: 0, assigned: 0, running: 0, registered: 0, busy: 0, idle: 0 };
const idleFor = (minutes: number, count: number): Record<string, HostNote> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`i-${index}`, { is: 'idle', since: now - minutes * minute }]),
  );
const assigned = (minutes: number, more: Partial<JobNote> = {}): Record<string, JobNote> => ({
  a: { repository: 'o/r', name: 'build', assignedAt: now - minutes * minute, ...more },
});

describe('how many instances a fleet in jobs mode wants', () => {
  it.each([
    ['nothing', {}, { launch: 0, keep: 0, notTaken: 0 }],
    ['the minimum', { min: 2 }, { launch: 2, keep: 2 }],
    ['assigned jobs and the idle target', { assigned: 7, running: 3, target: 2 }, { launch: 9, keep: 9, notTaken: 0 }],
    ['at most the maximum', { assigned: 700, target: 2 }, { launch: 100, keep: 100 }],
    ['a burst in one decision', { assigned: 100 }, { launch: 100 }],
    ['an event that zero statistics do not show', { jobs: assigned(4) }, { launch: 1, keep: 1 }],
    ['not an event of six minutes ago', { jobs: assigned(6) }, { launch: 0 }],
    ['not the event of a job that is over', { jobs: assigned(1, { completedAt: now }) }, { launch: 0 }],
    [
      'not more than statistics that are not zero',
      { assigned: 1, jobs: { ...assigned(1), b: assigned(1).a! } },
      { launch: 1 },
    ],
    ['one runner for jobs that the service gave up', { available: 5 }, { launch: 1 }],
    ['a job although a runner came up just now', { assigned: 1, hosts: idleFor(1, 1) }, { launch: 1, notTaken: 0 }],
    [
      'no launch for 15 jobs that wait while 15 runners have been idle for 15 minutes, and keeps these',
      { assigned: 18, running: 3, hosts: idleFor(15, 15), target: 1 },
      { launch: 4, keep: 19, notTaken: 15 },
    ],
    [
      'no launch for the job that a host has finished since the service was heard',
      {
        assigned: 3,
        running: 3,
        hosts: { a: { is: 'finished', since: now }, b: { is: 'finished', since: now - minute } },
      },
      { launch: 2, keep: 3 },
    ],
    [
      'launches for 16 jobs that wait while 15 runners are idle',
      { assigned: 16, hosts: idleFor(15, 15) },
      { launch: 16, notTaken: 0 },
    ],
  ] as const)('decideWant wants %s', (_, facts, expected) => {
    const {
      min = 0,
      target = 0,
      jobs,
      hosts = {},
      ...told
    } = facts as typeof none & {
      min?: number;
      target?: number;
      jobs?: Record<string, JobNote>;
      hosts?: Record<string, HostNote>;
    };
    const group = { minSize: min, maxSize: 100 };

    const numbers = { statistics: { ...none, ...told }, statisticsAt: now - minute };
    expect(decideWant({ group, ...numbers, jobs, hosts, idleTarget: target }, now)).toMatchObject(expected);
  });

  it('a job that was taken back and is assigned again counts again', () => {
    const event = { jobId: 'a', requestId: 0, repository: 'o/r', name: 'build' };
    const back = noteEvents(assigned(1), [{ ...event, kind: 'completed', result: 'canceled' }], now);
    const again = noteEvents(back, [{ ...event, kind: 'assigned' }], now);

    expect(back.a).toMatchObject({ completedAt: now, result: 'canceled' });
    expect(again.a).toEqual({ repository: 'o/r', name: 'build', assignedAt: now });
  });

  it('the newest 200 jobs are remembered', () => {
    const events = Array.from({ length: 250 }, (_, id) => ({
      kind: 'assigned' as const,
      jobId: `job ${id}`,
      requestId: 0,
      repository: 'o/r',
      name: '',
    }));
    const jobs = noteEvents({}, events, now);

    expect(Object.keys(jobs)).toHaveLength(200);
    expect(jobs['job 249']).toBeDefined();
  });
});

describe('how many runners the service may count on', () => {
  const group = (states: readonly string[], desiredCapacity: number): GroupFacts => ({
    name: 'runners',
    minSize: 0,
    maxSize: 10,
    desiredCapacity,
    hasWarmPool: false,
    instances: states.map(
      (lifecycleState, id): FleetInstance => ({
        id: `i-${id}`,
        lifecycleState,
        healthy: true,
        protectedFromScaleIn: true,
        inWarmPool: lifecycleState.startsWith('Warmed'),
      }),
    ),
  });

  it.each([
    ['the maximum', group(['InService'], 1), undefined, 10],
    ['the maximum while launches are only late', group(['InService'], 5), undefined, 10],
    [
      'what is there and on its way while launches fail',
      group(['InService', 'Pending:Wait', 'Terminating:Wait', 'Warmed:Stopped'], 5),
      now - minute,
      2,
    ],
    ['one while launches fail and nothing is there', group([], 1), now - minute, 1],
    ['none where the group may have none', { ...group([], 1), maxSize: 0 }, now - minute, 0],
    ['the maximum when launches have failed and the group is complete', group(['InService'], 1), now - minute, 10],
    ['the maximum when launches failed long ago', group(['InService'], 5), now - 11 * minute, 10],
  ])('decideCeiling says %s', (_, facts, failedAt, expected) => {
    expect(decideCeiling(facts, failedAt, now)).toBe(expected);
  });
});

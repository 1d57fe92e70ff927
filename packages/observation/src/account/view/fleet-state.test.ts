import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import type { JobsMemory, Runner } from '@drover/runner-fleet';
import { describe, expect, it } from 'vitest';
import type { GroupActivity } from '../gather/activities.ts';
import type { KnownJob } from '../gather/jobs.ts';
import type { AccountFacts } from './facts.ts';
import { fleetState } from './fleet-state.ts';

const minute = 60_000;
const now = 100 * minute;

interface Read {
  readonly states: Readonly<Record<string, string>>;
  readonly runners?: readonly Pick<Runner, 'labels' | 'status' | 'busy'>[];
  readonly memory?: JobsMemory;
  readonly jobs?: readonly KnownJob[];
  readonly activities?: readonly Partial<GroupActivity>[];
}

/** The state of a fleet of which this has been read. */
function stateOf({ states, runners, memory, jobs = [], activities = [] }: Read) {
  const jobsMode = memory !== undefined;
  const config = {
    scalingMode: jobsMode ? 'jobs' : 'idle',
    allowedDrainTimeMs: 900_000,
  };
  const scaling = { idleTarget: 2, idleTargetSchedules: [] };
  const groups = [{ type: 'default', groupName: 'runners' }];
  const fleet = {
    groupName: 'runners',
    groups,
    types: [],
    config,
    scaling,
    ports: { jobsMode },
  } as unknown as OpenFleet;
  const instances = Object.entries(states).map(([InstanceId, LifecycleState]) => ({ InstanceId, LifecycleState }));
  const facts = {
    watched: { fleet },
    groups: {
      group: () => ({ MinSize: 1, MaxSize: 8, DesiredCapacity: 3 }),
      instances: () => instances,
      machine: (id: string) => ({ spot: id === 'i-2' }),
      refresh: () => undefined,
    },
    activities: { all: () => activities.map((one) => ({ group: 'runners', ...one })) },
    jobs: { all: () => jobs },
    platform: { runners: () => runners && { pages: [{ runners }] }, jobs: () => memory, jobsOf: () => memory },
  } as unknown as AccountFacts;
  return fleetState(facts, fleet, now);
}

const runner = (instance: string, status: Runner['status'], busy: boolean) => ({
  labels: [`instance_id:${instance}`],
  status,
  busy,
});
const job = (id: number, instance: string, more: Partial<KnownJob> = {}): KnownJob => ({
  id,
  title: 'example-org/shop / ci / build',
  instance,
  startedAt: 90 * minute,
  endedAt: undefined,
  result: undefined,
  ...more,
});

describe('the fleet of an account', () => {
  it('runners of a fleet in idle mode are what GitHub lists, and busy also by what the agent has sent', () => {
    const { instances, queuedJobs, demand } = stateOf({
      states: {
        'i-1': 'InService',
        'i-2': 'InService',
        'i-3': 'InService',
        'i-4': 'Pending:Wait',
        'i-5': 'Warmed:Stopped',
      },
      runners: [runner('i-1', 'online', false), runner('i-2', 'online', true), runner('i-3', 'offline', false)],
      jobs: [job(7, 'i-1')],
    });
    expect(instances.map(({ id, runner: is, job: its, spot, warmPool }) => [id, is, its, spot, warmPool])).toEqual([
      ['i-1', 'busy', 7, false, false],
      ['i-2', 'busy', undefined, true, false],
      ['i-3', 'offline', undefined, false, false],
      ['i-4', 'none', undefined, false, false],
      ['i-5', 'none', undefined, false, true],
    ]);
    expect([queuedJobs, demand]).toEqual([undefined, undefined]);
  });

  it('a fleet in jobs mode is known by what its windows remember: hosts, jobs that wait, and since when', () => {
    const memory = {
      statistics: { available: 0, assigned: 5, running: 2, registered: 3, busy: 2, idle: 1 },
      hosts: {
        'i-1': { is: 'busy', since: 1 },
        'i-2': { is: 'idle', since: 1 },
        'i-3': { is: 'booting', since: 1 },
        'i-4': { is: 'silent', since: 1 },
      },
      jobs: { a: { repository: 'r', name: 'n', queuedAt: 80 * minute, runnerName: 'i-1' } },
    } as const;
    const state = stateOf({
      states: { 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'Pending:Wait', 'i-4': 'InService' },
      memory,
      jobs: [job(7, 'i-1')],
    });
    expect(state.instances.map(({ runner: is }) => is)).toEqual(['busy', 'idle', 'none', 'offline']);
    expect(state).toMatchObject({ queuedJobs: 3, demand: { assigned: 5, waiting: 3 } });
    expect(state.jobs).toMatchObject([{ id: 7, state: 'running', queuedAt: 80 * minute }]);
  });

  it('a job is lost when its instance has gone two minutes ago and never said how it ended', () => {
    const gone = (endedAt: number) => [{ kind: 'termination', instance: 'i-9', startedAt: 0, endedAt } as const];
    const read = { states: {}, jobs: [job(7, 'i-9')] };
    expect(stateOf({ ...read, activities: gone(99 * minute) }).jobs).toMatchObject([{ state: 'running' }]);
    const { jobs, lostJobs } = stateOf({ ...read, activities: gone(97 * minute) });
    expect(jobs).toMatchObject([
      { state: 'lost', endedAt: 97 * minute, lostBecause: 'its instance is gone and never said how it ended' },
    ]);
    expect(lostJobs).toBe(1);
    const ended = job(8, 'i-9', { endedAt: 95 * minute, result: 'Succeeded' });
    expect(stateOf({ ...read, jobs: [ended], activities: gone(97 * minute) }).jobs).toMatchObject([
      { state: 'completed' },
    ]);
  });

  it('a job is lost when its instance is not there and went before the oldest activity that was read', () => {
    const activities = [{ kind: 'launch', instance: 'i-2', startedAt: 92 * minute } as const];
    const read = { states: { 'i-1': 'InService' }, activities };
    const stateOfJob = (instance: string, startedAt: number) =>
      stateOf({ ...read, jobs: [job(7, instance, { startedAt })] }).jobs[0];
    expect(stateOfJob('i-9', 91 * minute)).toMatchObject({ state: 'lost', endedAt: 92 * minute });
    expect(stateOfJob('i-1', 91 * minute)).toMatchObject({ state: 'running', endedAt: undefined });
    // Of one that began later the end of its instance is still to be read.
    expect(stateOfJob('i-9', 93 * minute)).toMatchObject({ state: 'running', endedAt: undefined });
  });

  it('an instance is where it is since its activity: the end of its launch, the beginning of its termination', () => {
    const { instances } = stateOf({
      states: { 'i-1': 'InService', 'i-2': 'Terminating:Wait', 'i-3': 'Pending:Wait', 'i-4': 'InService' },
      activities: [
        { kind: 'launch', instance: 'i-1', startedAt: 1, endedAt: 5 },
        { kind: 'launch', instance: 'i-2', startedAt: 2, endedAt: 6 },
        { kind: 'launch', instance: 'i-3', startedAt: 7 },
        { kind: 'termination', instance: 'i-2', startedAt: 8 },
      ],
    });
    expect(instances.map(({ since }) => since)).toEqual([5, 8, 7, undefined]);
  });
});

it('a fleet with types shows the instances of each with their type, and sizes and demand of all together', () => {
  const groups = [
    { type: 'default', groupName: 'runners' },
    { type: 'large', groupName: 'runners-large' },
  ];
  const config = { scalingMode: 'jobs', allowedDrainTimeMs: 900_000 };
  const scaling = { idleTarget: 2, idleTargetSchedules: [] };
  const fleet = { groupName: 'runners', groups, types: groups.slice(1), config, scaling, ports: { jobsMode: true } };
  const memories: Record<string, JobsMemory> = {
    default: { statistics: { available: 0, assigned: 3, running: 1, registered: 1, busy: 1, idle: 0 } },
    large: {
      statistics: { available: 0, assigned: 2, running: 1, registered: 1, busy: 1, idle: 0 },
      hosts: { 'i-2': { is: 'busy', since: 0 } },
    },
  };
  const facts = {
    watched: { fleet },
    groups: {
      group: (name: string) =>
        name === 'runners'
          ? { MinSize: 1, MaxSize: 8, DesiredCapacity: 1 }
          : { MinSize: 0, MaxSize: 2, DesiredCapacity: 1, Tags: [{ Key: 'drover:idle-target', Value: '1' }] },
      instances: (name: string) => [{ InstanceId: name === 'runners' ? 'i-1' : 'i-2', LifecycleState: 'InService' }],
      machine: () => undefined,
      refresh: () => undefined,
    },
    activities: { all: () => [] },
    jobs: { all: () => [] },
    platform: { runners: () => undefined, jobs: () => memories.default, jobsOf: (type: string) => memories[type] },
  } as unknown as AccountFacts;
  const state = fleetState(facts, fleet as unknown as OpenFleet, now);

  expect(state.types).toEqual([
    {
      name: 'default',
      groupName: 'runners',
      minSize: 1,
      maxSize: 8,
      desiredCapacity: 1,
      idleTarget: 2,
      demand: { assigned: 3, waiting: 2 },
    },
    {
      name: 'large',
      groupName: 'runners-large',
      minSize: 0,
      maxSize: 2,
      desiredCapacity: 1,
      idleTarget: 1,
      demand: { assigned: 2, waiting: 1 },
    },
  ]);
  expect(state).toMatchObject({ minSize: 1, maxSize: 10, desiredCapacity: 2, idleTarget: 3, queuedJobs: 3 });
  expect(state.instances.map(({ id, type, runner: does }) => [id, type, does])).toEqual([
    ['i-1', 'default', 'none'],
    ['i-2', 'large', 'busy'],
  ]);
});

import { snapshotPolicies } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import { health, hour, instance, minute, now, record, topology, without } from './facts.test-support.ts';
import { type VitalFacts, vitalSigns } from './vital-signs.ts';

const day = 24 * hour;
const ran = (id: string, agoMs: number | undefined, changedAgoMs = 90 * day) => ({
  id: `${id}-snapshots`,
  changedAt: now - changedAgoMs,
  lastSuccessAt: agoMs === undefined ? undefined : now - agoMs,
});
const allRan = [ran('hourly', hour), ran('daily', 20 * hour), ran('weekly', 6 * day), ran('monthly', 30 * day)];
const disk = (nodeId: string, usedShare: number) => ({
  nodeId,
  totalBytes: 1_000,
  availableBytes: 1_000 * (1 - usedShare),
});
const retained = instance({ lifecycleState: 'Terminating:Retained' });

const facts = (over: Partial<VitalFacts> = {}): VitalFacts => ({
  health: health(),
  topology: topology(),
  records: [],
  instances: [instance()],
  disks: [disk('d1', 0.25), disk('d2', 0.5)],
  policies: allRan,
  wantedPolicies: snapshotPolicies,
  ...over,
});
const healthy = {
  ClusterNotGreen: 0,
  SnapshotAgeSeconds: 3_600,
  DiskUsedPercentMax: 50,
  DrainSeconds: 0,
  RetainedInstances: 0,
};
const unread = { health: undefined, records: undefined, instances: undefined, disks: undefined, policies: undefined };

const rows: [string, Partial<VitalFacts>, object][] = [
  ['all is well', {}, healthy],
  [
    'a termination whose drain is refused counts from its beginning, though it has no record',
    { terminatingSince: [now - 5 * hour, now - hour] },
    { ...healthy, DrainSeconds: 18_000 },
  ],
  ['yellow is not green', { health: health({ status: 'yellow' }) }, { ...healthy, ClusterNotGreen: 1 }],
  ['red is not green', { health: health({ status: 'red' }) }, { ...healthy, ClusterNotGreen: 1 }],
  ['nothing could be read: not green, and no guess', { ...unread, topology: undefined }, { ClusterNotGreen: 1 }],
  [
    'the hourly policy fails, also where another one has just run',
    { policies: [ran('hourly', 3 * hour), ran('daily', minute)] },
    { ...healthy, SnapshotAgeSeconds: 10_800 },
  ],
  [
    'the daily policy fails behind an hourly one that runs',
    { policies: [ran('hourly', minute), ran('daily', 3 * day)] },
    { ...healthy, SnapshotAgeSeconds: 259_200 },
  ],
  [
    'the most overdue policy counts',
    { policies: [ran('hourly', 3 * hour), ran('daily', 3 * day), ran('weekly', 20 * day)] },
    { ...healthy, SnapshotAgeSeconds: 1_728_000 },
  ],
  [
    'a new cluster is not late',
    { policies: [ran('hourly', undefined, minute), ran('monthly', undefined, minute)] },
    { ...healthy, SnapshotAgeSeconds: 60 },
  ],
  [
    'a policy never succeeded since it was made',
    { policies: [ran('hourly', undefined, 5 * hour), ran('monthly', undefined, 5 * hour)] },
    { ...healthy, SnapshotAgeSeconds: 18_000 },
  ],
  [
    'a policy that is not ours has no limit of its own',
    { policies: [ran('hourly', minute), ran('yearly', 300 * day)] },
    { ...healthy, SnapshotAgeSeconds: 60 },
  ],
  ['there is no policy: silence, which the alarm notices', { policies: [] }, omit('SnapshotAgeSeconds')],
  ['the fullest disk counts', { disks: [disk('d1', 0.75), disk('d2', 0.5)] }, { ...healthy, DiskUsedPercentMax: 75 }],
  [
    'a disk that is not known yet',
    { disks: [disk('d1', 0.5), { nodeId: 'd2', totalBytes: 0, availableBytes: 0 }] },
    healthy,
  ],
  ['no disk is known', { disks: [] }, omit('DiskUsedPercentMax')],
  [
    'the longest drain counts',
    { records: [record('d1', { startedAt: now - 5 * hour }), record('d2')] },
    { ...healthy, DrainSeconds: 18_000 },
  ],
  [
    'a drain that was given up goes on',
    { records: [record('d1', { reason: 'x [gave up: stalled]', startedAt: now - hour })] },
    { ...healthy, DrainSeconds: 3_600 },
  ],
  ['a node that left drains no more', { topology: without('d1'), records: [record('d1')] }, healthy],
  ['a restart is no drain', { records: [record('d1', { type: 'RESTART' })] }, healthy],
  [
    'retained instances are counted',
    { instances: [instance(), retained, retained] },
    { ...healthy, RetainedInstances: 2 },
  ],
];

function omit(name: keyof typeof healthy): object {
  const { [name]: _, ...others } = healthy;
  return others;
}

it.each(rows)('%s', (_title, over, expected) => {
  expect(vitalSigns(facts(over), now)).toEqual(expected);
});

it('a policy of the cluster itself is overdue after its own time', () => {
  const nightly = { id: 'nightly', schedule: '0 30 1 * * ?', expireAfter: '14d', maxCount: 14, unhealthyWithin: '2d' };
  const ranAgo = (agoMs: number) => ({ id: 'nightly', changedAt: now - 90 * day, lastSuccessAt: now - agoMs });
  const often = { id: 'often', changedAt: now - 90 * day, lastSuccessAt: now - hour };
  const age = (agoMs: number) =>
    vitalSigns(facts({ policies: [ranAgo(agoMs), often], wantedPolicies: [nightly] }), now).SnapshotAgeSeconds;

  expect(age(day)).toBe(3_600);
  expect(age(3 * day)).toBe((3 * day) / 1000);
});

describe('heaps and refusals', () => {
  const node = (nodeId: string, heapPercent: number, rejected: number) => ({ nodeId, heapPercent, rejected });
  const minute = 60_000;
  const before = (byNode: Readonly<Record<string, number>>, ago = 5 * minute) => ({ at: now - ago, byNode });

  it.each([
    ['the fullest heap is published', undefined, { HeapUsedPercentMax: 80 }],
    ['refusals are those since the last count', before({ a: 3, b: 7 }), { RejectedRequests: 2 }],
    ['a node that has started again counts from its start', before({ a: 90, b: 7 }), { RejectedRequests: 5 }],
    ['a node that was not counted before has its first count', before({ a: 4 }), { RejectedRequests: 1 }],
    ['a count of an hour ago says nothing of five minutes', before({ a: 0, b: 0 }, 60 * minute), {}],
  ])('%s', (_title, rejectedBefore, expected) => {
    const pressure = [node('a', 40, 5), node('b', 80, 7)];

    const { HeapUsedPercentMax, RejectedRequests } = vitalSigns(facts({ pressure, rejectedBefore }), now);

    expect({ HeapUsedPercentMax, RejectedRequests }).toEqual({
      RejectedRequests: undefined,
      ...expected,
      HeapUsedPercentMax: 80,
    });
  });

  it('indices that are not written to are counted', () => {
    expect(vitalSigns(facts({ blockedIndices: ['docs', 'logs'] }), now).BlockedIndices).toBe(2);
  });
});

import { expect, it } from 'vitest';
import {
  chooseDrill,
  chooseIndex,
  type DrillFacts,
  type DrillRoom,
  drillIsDue,
  drillMetrics,
  judgeDrill,
  postpone,
} from './drill.ts';

const day = 86_400_000;
const facts = {
  state: { since: 0, runs: 0 },
  health: { status: 'green' },
  records: [],
  snapshots: [
    { name: 'partial', state: 'PARTIAL', indices: [], featureStates: [] },
    {
      name: 'good',
      state: 'SUCCESS',
      indices: ['b', 'a', 'empty', 'gone', '.security-7', 'drover-drill-a', 'x'.repeat(240)],
      featureStates: [{ feature: 'security', indices: ['.security-7'] }],
    },
  ],
  documents: new Map([
    ['a', 1],
    ['b', 2],
    ['empty', 0],
    ['.security-7', 9],
    ['drover-drill-a', 1],
    ['x'.repeat(240), 1],
  ]),
} as unknown as DrillFacts;

it.each([
  ['indices with documents, by name', {}, ['a', 'b']],
  ['another one first at the next run', { state: { since: 0, runs: 3 } }, ['b', 'a']],
  ['a yellow cluster', { health: { status: 'yellow' } }, 'the cluster is yellow'],
  ['a node that drains', { records: [{}] }, 'a node is being drained or restarted'],
  ['no good snapshot', { snapshots: [] }, 'there is no successful snapshot'],
  ['no documents', { documents: new Map() }, 'snapshot good holds no index with documents of this cluster'],
])('chooses what a restore drill restores: %s', (_title, over, expected) => {
  const choice = chooseDrill({ ...facts, ...(over as Partial<DrillFacts>) });

  expect(choice.kind === 'postponed' ? choice.because : choice.candidates).toEqual(expected);
});

it.each([
  ['a week after the first look', {}, 7, true],
  ['not before', {}, 6.9, false],
  ['a week after the last success', { okAt: 2 * day }, 8.9, false],
  ['a day after a failure', { okAt: 2 * day, failedAt: 9 * day }, 10, true],
  ['not at once after a failure', { okAt: 2 * day, failedAt: 9 * day }, 9.5, false],
])('a restore drill is due: %s', (_title, state, days, expected) => {
  expect(drillIsDue({ since: 0, runs: 0, ...state }, 7, days * day)).toBe(expected);
});

it.each([
  ['the same', { documents: 3, operations: 5 }, { documents: 3, operations: 5 }, undefined],
  ['written since', { documents: 9, operations: 8 }, { documents: 3, operations: 5 }, undefined],
  ['the live one is gone', undefined, { documents: 3, operations: 5 }, undefined],
  ['nothing is there', undefined, { documents: 0, operations: 5 }, 'the restored index holds no document'],
  [
    'documents are missing',
    { documents: 4, operations: 5 },
    { documents: 3, operations: 5 },
    'the restored index holds 3 documents and the live one 4, with the same operations',
  ],
])('judges a restored index: %s', (_title, live, restored, expected) => {
  expect(judgeDrill(live, restored)).toBe(expected);
});

it('a restore drill reports its age and whether the last one failed', () => {
  expect(drillMetrics({ since: 0, runs: 2, okAt: day, failedAt: 2 * day }, 3 * day)).toEqual({
    RestoreDrillAgeSeconds: (2 * day) / 1000,
    RestoreDrillFailed: 1,
  });
  expect(drillMetrics({ since: day, runs: 0 }, 2 * day)).toEqual({
    RestoreDrillAgeSeconds: day / 1000,
    RestoreDrillFailed: 0,
  });
});

const gib = 2 ** 30;
/** Three data nodes of 1 TiB that are as full as this, and a master with an empty disk. */
const room = (used: readonly number[], over: Partial<DrillRoom> = {}): DrillRoom => ({
  topology: {
    nodes: [{ id: 'master', roles: ['master'] }, ...used.map((_, at) => ({ id: `data-${at}`, roles: ['data'] }))],
  } as unknown as DrillRoom['topology'],
  disks: [
    { nodeId: 'master', totalBytes: 1_000 * gib, availableBytes: 990 * gib },
    ...used.map((full, at) => ({
      nodeId: `data-${at}`,
      totalBytes: 1_000 * gib,
      availableBytes: (1 - full) * 1_000 * gib,
    })),
  ],
  lowWatermark: { kind: 'used-share', share: 0.85 },
  ...over,
});
const sizes = (...entries: readonly (readonly [string, number, number?])[]) =>
  new Map(entries.map(([index, size, shards = 1]) => [index, { bytes: size * gib, shards }]));

it.each([
  ['one of a rolled-over size on disks of 75 %', sizes(['a', 45], ['b', 40]), room([0.75, 0.75, 0.75]), 'a'],
  ['the next one when the first has no room', sizes(['a', 60], ['b', 20]), room([0.8, 0.8, 0.8]), 'b'],
  ['one of usual size before a larger one', sizes(['a', 200, 10], ['b', 40]), room([0.5, 0.5, 0.5]), 'b'],
  ['the smallest of larger ones alone', sizes(['a', 300, 10], ['b', 200, 10]), room([0.5, 0.5, 0.5]), 'b'],
  ['one whose shards find room on all nodes together', sizes(['a', 120, 3]), room([0.75, 0.75, 0.75]), 'a'],
  ['one where the room of a single node is enough', sizes(['a', 45]), room([0.86, 0.86, 0.7]), 'a'],
  ['any while disk-based allocation is off', sizes(['a', 45]), room([0.9, 0.9, 0.9], { lowWatermark: undefined }), 'a'],
])('a restore drill restores %s', (_title, of, where, expected) => {
  expect(chooseIndex('s', ['a', 'b'], of, where)).toEqual({ kind: 'index', index: expected });
});

it.each([
  [
    'a shard that fits on no single node',
    sizes(['a', 60]),
    room([0.75, 0.75, 0.75]),
    'no index of snapshot s has room: the smallest, a, has 60.0 GiB in 1 shard, and half of what the data nodes have below the low disk watermark is 50.0 GiB at most on one of them, 150.0 GiB on all',
  ],
  [
    'disks at the low watermark, whatever the masters have',
    sizes(['a', 3, 3], ['b', 1]),
    room([0.85, 0.86]),
    'no index of snapshot s has room: the smallest, b, has 1.0 GiB in 1 shard, and half of what the data nodes have below the low disk watermark is 0.0 GiB at most on one of them, 0.0 GiB on all',
  ],
  ['unknown sizes', sizes(), room([0.5]), 'the sizes of the indices in snapshot s are not known'],
])('a restore drill waits because of %s, and says so with figures', (_title, of, where, because) => {
  expect(chooseIndex('s', ['a', 'b'], of, where)).toEqual({ kind: 'postponed', because });
});

it('a restore drill that waits for one reason after the other keeps the moment from which it waits', () => {
  const first = postpone({ since: 0, runs: 3, okAt: day }, 'no room', 8 * day);
  expect(first).toEqual({ since: 0, runs: 3, okAt: day, postponed: { since: 8 * day, because: 'no room' } });
  expect(postpone(first, 'the cluster is yellow', 9 * day).postponed).toEqual({
    since: 8 * day,
    because: 'the cluster is yellow',
  });
});

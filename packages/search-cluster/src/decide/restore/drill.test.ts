import { expect, it } from 'vitest';
import { chooseDrill, type DrillFacts, drillIsDue, drillLimitBytes, drillMetrics, judgeDrill } from './drill.ts';

const day = 86_400_000;
const disk = (totalBytes: number, availableBytes: number) => ({ nodeId: 'n', totalBytes, availableBytes });
const facts = {
  state: { since: 0, runs: 0 },
  health: { status: 'green' },
  records: [],
  disks: [disk(100, 60)],
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
  ['a full disk', { disks: [disk(100, 60), disk(100, 29)] }, 'a disk is more than 70 % full'],
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

it('a restore drill reports its age and whether the last one failed, and takes a tenth of the fullest disk', () => {
  expect(drillMetrics({ since: 0, runs: 2, okAt: day, failedAt: 2 * day }, 3 * day)).toEqual({
    RestoreDrillAgeSeconds: (2 * day) / 1000,
    RestoreDrillFailed: 1,
  });
  expect(drillMetrics({ since: day, runs: 0 }, 2 * day)).toEqual({
    RestoreDrillAgeSeconds: day / 1000,
    RestoreDrillFailed: 0,
  });
  expect(drillLimitBytes([disk(100, 60), disk(0, 0), disk(100, 40)])).toBe(4);
});

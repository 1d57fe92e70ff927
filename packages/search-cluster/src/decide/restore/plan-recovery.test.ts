import { expect, it } from 'vitest';
import { planRecovery, type RecoveryFacts } from './plan-recovery.ts';

const content = (name: string, indices: readonly string[], dataStreams: readonly string[] = []) => ({
  name,
  state: 'SUCCESS' as const,
  indices: ['.security-7', ...indices],
  dataStreams,
  featureStates: [{ feature: 'security', indices: ['.security-7'] }],
  includeGlobalState: true,
  startedAt: 0,
  endedAt: 1,
  failures: [],
  failedIndices: [],
});
const full = content('old', ['docs', '.ds-logs-2026.01.05-000001'], ['logs']);
/** A new cluster that has taken a snapshot of itself already. */
const facts: RecoveryFacts = {
  repository: { name: 'backups', bucket: 'b', readOnly: false, registered: true },
  wanted: undefined,
  resume: false,
  snapshots: [content('own', ['.internal']), full],
  note: undefined,
  indices: ['.security-7'],
  dataStreams: [],
  arriving: 0,
  failed: [],
  lifecycle: { ilm: 'RUNNING', slm: 'RUNNING' },
  records: [],
  nodeIds: ['n1'],
  settings: {},
};
const note = { repository: 'backups', snapshot: 'old', startedAt: 't', done: [] as const };
const record = (nodeId: string) => ({ nodeId, type: 'REMOVE' as const, reason: '', startedAt: 0 }) as never;
const kinds = (over: Partial<RecoveryFacts>) => {
  const plan = planRecovery({ ...facts, ...over });
  return 'kind' in plan ? plan.name : plan.steps.map(({ kind }) => kind);
};
const rest = ['restore-security', 'set-passwords', 'restore-data', 'start-lifecycle', 'finish'];

it.each([
  ['an empty cluster', {}, ['begin', 'stop-lifecycle', 'restore-state', ...rest]],
  [
    'a repository that is not registered',
    { repository: { ...facts.repository, registered: false } },
    ['register-repository'],
  ],
  ['an index of its own', { indices: ['docs'] }, 'cluster-not-empty'],
  ['a data stream of its own', { indices: ['.ds-logs-2026.01.05-000001'] }, 'cluster-not-empty'],
  [
    'hidden indices that Kibana or a lifecycle has made',
    { indices: ['.internal', '.ds-.logs-2026.01.05-000001'] },
    ['begin', 'stop-lifecycle', 'restore-state', ...rest],
  ],
  ['no snapshot with data', { snapshots: [content('own', [])] }, 'no-usable-snapshot'],
  ['a snapshot that is not there', { wanted: 'other' }, 'no-usable-snapshot'],
  [
    'a snapshot without the global state',
    { wanted: 'x', snapshots: [{ ...full, name: 'x', includeGlobalState: false }] },
    'no-usable-snapshot',
  ],
  ['a recovery that has begun, without --resume', { note }, 'recovery-in-progress'],
  ['a recovery from another snapshot', { note, resume: true, wanted: 'own' }, 'recovery-in-progress'],
  ['nothing to resume', { resume: true }, 'nothing-to-resume'],
  [
    'lifecycle management that the global state has started again',
    { note: { ...note, done: ['state'] as const }, resume: true },
    ['stop-lifecycle', ...rest],
  ],
  [
    'old records and filters, before any shard is placed',
    {
      note: { ...note, done: ['state'] as const },
      resume: true,
      records: [record('gone'), record('n1')],
      settings: { 'cluster.routing.allocation.enable': 'none', 'cluster.max_shards_per_node': '10' },
    },
    ['stop-lifecycle', 'delete-records', 'reset-settings', ...rest],
  ],
  [
    'data that is back',
    {
      note: { ...note, done: ['state', 'security', 'passwords'] as const },
      resume: true,
      indices: full.indices,
      dataStreams: ['logs'],
      lifecycle: { ilm: 'STOPPED', slm: 'STOPPED' },
    },
    ['start-lifecycle', 'finish'],
  ],
  ['a recovery that is finished', { note: { ...note, done: ['finished'] as const }, indices: ['docs'] }, []],
])('plans the recovery of a cluster: %s', (_title, over, expected) => {
  expect(kinds(over as Partial<RecoveryFacts>)).toEqual(expected);
});

it('a recovery restores the data streams and indices that are missing, and deletes records of unknown nodes only', () => {
  const plan = planRecovery({
    ...facts,
    note: { ...note, done: ['state'] },
    resume: true,
    indices: ['docs'],
    records: [record('gone'), record('n1')],
  });

  expect(plan).toMatchObject({
    snapshot: { name: 'old' },
    steps: expect.arrayContaining([
      { kind: 'restore-data', names: ['logs'] },
      { kind: 'delete-records', nodeIds: ['gone'] },
    ]),
  });
});

import { expect, it } from 'vitest';
import { planRestore } from './plan-restore.ts';

const backing = ['.ds-logs-app-2026.01.05-000001', 'shrink-x-.ds-logs-app-2026.01.06-000002'];
const facts = {
  snapshot: {
    name: 's',
    state: 'SUCCESS' as const,
    indices: ['docs-1', 'docs-2', '.security-7', '.internal', ...backing],
    dataStreams: ['logs-app'],
    featureStates: [{ feature: 'security', indices: ['.security-7'] }],
    includeGlobalState: true,
    startedAt: 0,
    endedAt: 1,
    failures: [],
    failedIndices: [],
  },
  open: ['docs-1'],
  pattern: undefined,
  featureStates: [],
  includeGlobalState: false,
  rename: undefined,
};
const all = ['logs-app', 'docs-1', 'docs-2'];
const old = { pattern: '(.+)', replacement: 'old-$1' };

it.each([
  ['an open index is in the way', {}, 'index-is-open'],
  ['nothing matches', { pattern: 'x*' }, 'no-such-index'],
  ['by name', { pattern: 'docs-2' }, ['docs-2']],
  ['by pattern', { pattern: 'docs-*', open: [] }, ['docs-1', 'docs-2']],
  ['a dot is only a dot', { pattern: 'docs.2' }, 'no-such-index'],
  ['everything without a dot', { open: [] }, all],
  ['beside what exists', { rename: old }, all],
  ['the new name exists too', { rename: old, open: ['old-docs-1'] }, 'index-is-open'],
  ['the new backing index exists too', { rename: old, open: ['.ds-old-logs-app-2026.01.05-000001'] }, 'index-is-open'],
  ['a data stream by name', { pattern: 'logs-app' }, ['logs-app']],
  ['a data stream by pattern', { pattern: 'logs-*' }, ['logs-app']],
  ['a backing index by name', { pattern: backing[0] }, 'backing-index'],
  ['a system index by name', { pattern: '.security-7' }, 'system-index'],
  ['hidden indices by name only', { pattern: '.internal' }, ['.internal']],
  ['system indices not by pattern', { pattern: '.*' }, ['.internal']],
  ['a feature alone', { featureStates: ['security'] }, []],
  ['a feature that is not there', { featureStates: ['kibana'] }, 'no-such-feature'],
  ['the global state alone', { includeGlobalState: true }, []],
  [
    'a global state that is not there',
    { includeGlobalState: true, snapshot: { ...facts.snapshot, includeGlobalState: false } },
    'no-global-state',
  ],
  ['a failed snapshot', { snapshot: { ...facts.snapshot, state: 'FAILED' as const } }, 'snapshot-not-usable'],
  [
    'an index that is not complete',
    { pattern: 'docs-2', snapshot: { ...facts.snapshot, failedIndices: ['docs-2'] } },
    'index-incomplete',
  ],
  ['a pattern that is none', { rename: { pattern: '(', replacement: '' } }, 'bad-rename'],
])('plans a restore: %s', (_title, over, expected) => {
  const plan = planRestore({ ...facts, ...over });

  expect('kind' in plan ? plan.name : plan.indices).toEqual(expected);
});

it('a restore plan knows the names of backing and system indices that it waits for', () => {
  const plan = planRestore({ ...facts, pattern: 'logs-app', rename: old, featureStates: ['security'] });

  expect(plan).toMatchObject({
    restored: ['.ds-old-logs-app-2026.01.05-000001', 'old-shrink-x-.ds-logs-app-2026.01.06-000002', '.security-7'],
  });
});

it.each([
  ['beside the live index it leaves their aliases and node filters', { rename: old }, false],
  ['under their own name they keep both', { open: [] }, undefined],
  [
    'with a feature they keep both, because its indices are found by an alias',
    { rename: old, featureStates: ['security'] },
    undefined,
  ],
])('indices are restored with their settings: %s', (_title, over, aliases) => {
  const plan = planRestore({ ...facts, pattern: '*', ...over });

  expect('kind' in plan ? plan : plan.settings?.aliases).toBe(aliases);
});

import { retentionSchedule, snapshotPolicies } from '@drover/core/names/search-cluster';
import { expect, it } from 'vitest';
import { builtInPolicies, driftOf, parsePolicies, snapshotName } from './snapshots.ts';

it('names a snapshot by cluster and moment with six digits of a second', () => {
  expect(snapshotName('search', Date.UTC(2026, 0, 5, 1, 30, 7, 45), 6)).toBe('search-2026-01-05_01-30-07.045006');
});

it('builds the four policies of the specification, with global state, into backups', () => {
  const policies = builtInPolicies('search', snapshotPolicies);

  expect(
    Object.entries(policies).map(([id, { schedule, retention }]) => [
      id,
      schedule,
      retention?.expire_after,
      retention?.max_count,
    ]),
  ).toEqual([
    ['hourly-snapshots', '0 0 * * * ?', '48h', 48],
    ['daily-snapshots', '0 30 1 * * ?', '14d', 14],
    ['weekly-snapshots', '0 30 1 ? * 2', '60d', 8],
    ['monthly-snapshots', '0 30 1 1 * ?', '365d', 12],
  ]);
  for (const policy of Object.values(policies))
    expect(policy).toMatchObject({
      repository: 'backups',
      config: { indices: ['*', '-drover-drill-*'], include_global_state: true },
      name: '<search-{now{yyyy-MM-dd_HH-mm-ss.SSSSSS}}>',
    });
  expect(retentionSchedule).toMatch(/^0 \d+ \* \* \* \?$/);
});

it('[rule 26] runs the weekly policy on Monday, which is 2', () => {
  expect(builtInPolicies('search', snapshotPolicies)['weekly-snapshots']!.schedule.split(' ')[5]).toBe('2');
});

const wanted = builtInPolicies('search', snapshotPolicies)['hourly-snapshots']!;

it.each([
  ['the same', wanted, []],
  ['numbers as text', { ...wanted, retention: { ...wanted.retention, max_count: '48' } }, []],
  [
    'the limit that an older release of ours did not keep on 8.19',
    { ...wanted, unhealthy_if_no_snapshot_within: undefined },
    ['unhealthy_if_no_snapshot_within'],
  ],
  ['another schedule', { ...wanted, schedule: '0 0 * * * *' }, ['schedule']],
  [
    'another retention',
    { ...wanted, retention: { ...wanted.retention, expire_after: '1h' } },
    ['retention.expire_after'],
  ],
  ['something more', { ...wanted, config: { ...wanted.config, indices: ['a'] } }, ['config.indices']],
  ['no retention', { ...wanted, retention: undefined }, ['retention']],
])('finds drift: %s', (_title, found, expected) => {
  expect(driftOf(wanted, found as typeof wanted)).toEqual(expected);
});

it.each([
  ['bare', { nightly: { name: 'n', schedule: 's', repository: 'r' } }],
  ['as the API returns it', { nightly: { version: 1, policy: { name: 'n', schedule: 's', repository: 'r' } } }],
])('reads a policy file: %s', (_title, document) => {
  expect(parsePolicies(document, 'f')).toEqual({ nightly: { name: 'n', schedule: 's', repository: 'r' } });
});

it.each([
  ['a list', [], 'must be an object of policies'],
  ['a policy that is none', { x: 3 }, 'must be an object'],
  ['a policy without repository', { x: { name: 'n', schedule: 's' } }, 'repository is undefined'],
])('says what is wrong with a policy file: %s', (_title, document, expected) => {
  expect(() => parsePolicies(document, 'f.json')).toThrow(expected);
});

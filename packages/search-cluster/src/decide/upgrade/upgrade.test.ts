import { describe, expect, it } from 'vitest';
import { copy, health, minute, now, record, voting } from '../facts.test-support.ts';
import { planUpgrade } from './plan-upgrade.ts';
import type { UpgradeFacts, UpgradeNode } from './upgrade-checks.ts';
import { blockedLimitMs, decideUpgrade, type UpgradeSnapshot, type UpgradeStepFacts } from './upgrade-step.ts';

const node = (id: string, roles: readonly string[], version = '8.19.21'): UpgradeNode => ({
  id,
  name: id,
  ip: id,
  roles,
  version,
  instanceId: `i-${id}`,
  agent: 'Online',
  checksFirst: false,
});
const masters = (version?: string) => ['m1', 'm2', 'm3'].map((id) => node(id, ['master'], version));
const data = (version?: string) => ['d1', 'd2', 'd3'].map((id) => node(id, ['data', 'ingest'], version));

const snapshot = (state: UpgradeSnapshot['state'], endedAt = now): UpgradeSnapshot => ({
  name: 'before-upgrade-9.5.3',
  state,
  endedAt,
});

const facts = (over: Partial<UpgradeStepFacts> = {}): UpgradeStepFacts => ({
  to: '9.5.3',
  nodes: [...masters(), ...data()],
  absent: [],
  records: [],
  health: health(),
  copies: [copy('logs', 'd1'), copy('logs', 'd2', { primary: false })],
  voting: voting(),
  obstacles: { criticalDeprecations: [], featuresToMigrate: [], diskSymptom: undefined },
  skip: [],
  intent: { from: '8.19.21', to: '9.5.3', snapshot: 'before-upgrade-9.5.3', startedAt: '' },
  snapshot: snapshot('SUCCESS'),
  sent: undefined,
  blockedSince: undefined,
  ...over,
});
const blockers = (given: UpgradeFacts) =>
  planUpgrade(given)
    .checks.filter(({ verdict }) => verdict === 'blocks')
    .map(({ check }) => check);

describe('the plan of an upgrade', () => {
  it('the order is frozen, cold, warm, hot, other data, nodes without data, masters', () => {
    const mixed = [
      node('master', ['master']),
      node('ml', ['ml']),
      node('content', ['data_content']),
      node('hot', ['data_hot']),
      node('frozen', ['data_frozen']),
      node('warm', ['data_warm']),
      node('cold', ['data_cold']),
    ];
    expect(planUpgrade(facts({ nodes: mixed })).order.map(({ name }) => name)).toEqual([
      ...['frozen', 'cold', 'warm', 'hot', 'content', 'ml', 'master'],
    ]);
  });

  it.each<[string, Partial<UpgradeStepFacts>, string[]]>([
    ['a healthy cluster is not blocked', {}, []],
    ['8.18 must become 8.19 before 9.5', { nodes: [...masters('8.18.8'), ...data('8.18.8')] }, ['version-path']],
    ['8.18 may become 9.0', { nodes: [...masters('8.18.7'), ...data('8.18.7')], to: '9.0.8' }, []],
    ['8.19 may not become 9.0', { to: '9.0.8' }, ['version-path']],
    ['a version that is not known blocks', { to: '9.9.9' }, ['version-path']],
    ['a version that is not known can be asked for all the same', { to: '9.9.9', skip: ['version-path'] }, []],
    [
      'each version that runs needs a way to the next, not the oldest alone',
      { nodes: [...masters('8.19.21'), ...data('8.19.20')], to: '9.5.2' },
      ['version-path'],
    ],
    ['7.17 cannot become 9.5', { nodes: [...masters('7.17.29'), ...data('7.17.29')] }, ['version-path']],
    ['no node can be downgraded', { to: '8.18.8' }, ['version-path', 'one-target']],
    [
      'a critical deprecation blocks',
      { obstacles: { criticalDeprecations: ['logs: old'], featuresToMigrate: [], diskSymptom: undefined } },
      ['no-critical-deprecation'],
    ],
    [
      'a feature that needs migration blocks',
      { obstacles: { criticalDeprecations: [], featuresToMigrate: ['watcher'], diskSymptom: undefined } },
      ['features-migrated'],
    ],
    [
      'an instance without its node blocks',
      { absent: [{ instanceId: 'i-9', lifecycleState: 'InService' }] },
      ['one-node-at-a-time'],
    ],
    [
      'a disk above the high watermark blocks',
      { obstacles: { criticalDeprecations: [], featuresToMigrate: [], diskSymptom: '1 node is running low on disk' } },
      ['disk-space'],
    ],
    ['another node that leaves blocks', { records: [record('d2')] }, ['one-node-at-a-time']],
    ['red blocks', { health: health({ status: 'red' }) }, ['green-or-yellow']],
    [
      'yellow with shards that move blocks',
      { health: health({ status: 'yellow', initializingShards: 2 }) },
      ['yellow-with-nothing-moving'],
    ],
    ['yellow with missing replicas passes', { health: health({ status: 'yellow', unassignedShards: 2 }) }, []],
    ['the only copy of a shard blocks', { copies: [copy('solo', 'd1')] }, ['started-copy-elsewhere']],
    ['a check that was skipped does not block', { copies: [copy('solo', 'd1')], skip: ['started-copy-elsewhere'] }, []],
    [
      'a node that Systems Manager does not know blocks before anything is begun',
      { nodes: [...masters(), ...data().slice(1), { ...node('d1', ['data', 'ingest']), agent: undefined }] },
      ['every-node-reachable'],
    ],
    [
      'a master whose agent is gone does not stop the upgrade of a data node that has begun',
      {
        nodes: [
          ...masters().slice(1),
          { ...node('m1', ['master']), agent: 'ConnectionLost' },
          ...data('9.5.3').slice(1),
          node('d1', ['data', 'ingest']),
        ],
      },
      [],
    ],
    [
      'a node whose agent is gone blocks when its turn comes',
      {
        nodes: [
          ...masters(),
          ...data('9.5.3').slice(1),
          { ...node('d1', ['data', 'ingest']), agent: 'ConnectionLost' },
        ],
      },
      ['every-node-reachable'],
    ],
    ['the only node of a tier blocks', { nodes: [...masters(), node('d1', ['data'])] }, ['tier-stays']],
    [
      'a master waits for a missing master',
      { nodes: [...masters().slice(1), ...data('9.5.3')], voting: voting() },
      ['masters-healthy'],
    ],
  ])('%s', (_title, over, expected) => {
    expect(blockers(facts(over))).toEqual(expected);
  });

  it('a node that leaves is named with the age and the driver of its record and the command that removes it', () => {
    const found = planUpgrade(facts({ records: [record('d2')] })).checks.find(({ verdict }) => verdict === 'blocks');
    expect(found).toMatchObject({
      check: 'one-node-at-a-time',
      because: expect.stringMatching(
        /^d2 has a shutdown record \(REMOVE since .*Z, reason ".*"\), .*cluster-cli api DELETE \/_nodes\/d2\/shutdown$/,
      ),
    });
  });

  it('a node whose restart was interrupted comes first', () => {
    const records = [record('d3', { type: 'RESTART', reason: 'upgrade [in place]' })];
    expect(planUpgrade(facts({ records })).next?.name).toBe('d3');
  });
});

describe('the next act of an upgrade', () => {
  const told = (over: Partial<UpgradeStepFacts>) => {
    const step = decideUpgrade(facts(over), now);
    if (step.kind === 'wait') return `wait ${(step.actions ?? []).map(({ kind }) => kind).join()}`.trim();
    return `${step.outcome.kind} ${step.outcome.kind === 'blocked' ? step.outcome.blockers.map(({ check }) => check) : ''}`.trim();
  };
  const d1 = data()[0]!;
  const withoutD1 = [...masters(), ...data().slice(1)];
  const m3 = node('m3', ['master']);
  const lastAway: Partial<UpgradeStepFacts> = {
    nodes: [...masters('9.5.3').slice(0, -1), ...data('9.5.3')],
    absent: [{ instanceId: 'i-m3', lifecycleState: 'InService' }],
    records: [record('m3', { type: 'RESTART', reason: 'upgrade [in place]' })],
  };
  const half = [...masters(), node('d1', ['data'], '9.5.3'), ...data().slice(1)];

  it.each<[string, Partial<UpgradeStepFacts>, string]>([
    ['the intent is written first', { intent: undefined }, 'wait write-intent'],
    ['a snapshot is taken before the first node', { snapshot: snapshot('none') }, 'wait take-snapshot'],
    ['a snapshot in progress is waited for', { snapshot: snapshot('IN_PROGRESS') }, 'wait'],
    ['a snapshot that failed blocks', { snapshot: snapshot('failed') }, 'blocked snapshot'],
    [
      'a snapshot of an earlier attempt is taken again',
      { snapshot: snapshot('SUCCESS', now - 7 * 60 * minute) },
      'wait take-snapshot',
    ],
    [
      'once a node is upgraded its snapshot stays the way back, however old it is',
      { nodes: half, snapshot: snapshot('SUCCESS', now - 7 * 60 * minute) },
      'wait upgrade-node',
    ],
    ['the first node begins', {}, 'wait upgrade-node'],
    [
      'a command that runs is waited for',
      { sent: { node: d1, state: 'running', output: '', times: 2, gone: false } },
      'wait',
    ],
    [
      'a node that failed ends the run with the reason',
      { sent: { node: d1, state: 'failed', output: 'x\nrefused (not-green)', times: 2, gone: false } },
      'blocked node-returned',
    ],
    [
      'a node that something has started before its package was there gets the command once more',
      { sent: { node: d1, state: 'failed', output: 'refused (elasticsearch-runs): 8.19.21', times: 1, gone: false } },
      'wait upgrade-node',
    ],
    [
      'a node that something starts again and again ends the run',
      { sent: { node: d1, state: 'failed', output: 'refused (elasticsearch-runs): 8.19.21', times: 2, gone: false } },
      'blocked node-returned',
    ],
    [
      'a node that is not back after its failed upgrade is started with what is installed',
      { nodes: withoutD1, sent: { node: d1, state: 'failed', output: 'no space', times: 2, gone: false } },
      'wait start-node',
    ],
    [
      'the last old node gets the command once more: it could not join if it were only started',
      { ...lastAway, sent: { node: m3, state: 'failed', output: 'no space', times: 1, gone: false } },
      'wait upgrade-node',
    ],
    [
      'the last old node is started with what is installed when its second command fails, too',
      { ...lastAway, sent: { node: m3, state: 'failed', output: 'no space', times: 2, gone: false } },
      'wait start-node',
    ],
    [
      'a node that something has started and that has not joined yet gets the command once more',
      {
        ...lastAway,
        nodes: withoutD1,
        records: [record('d1', { type: 'RESTART', reason: 'upgrade [in place]' })],
        sent: { node: d1, state: 'failed', output: 'refused (elasticsearch-runs): 8.19.21', times: 1, gone: false },
      },
      'wait upgrade-node',
    ],
    [
      'a node that was only started again ends the run',
      { sent: { node: d1, state: 'succeeded', output: '', times: 2, gone: false, failure: 'no space' } },
      'blocked node-returned',
    ],
    [
      'a command on an instance that is gone is not waited for',
      { nodes: withoutD1, copies: [], sent: { node: d1, state: 'failed', output: '', times: 2, gone: true } },
      'wait upgrade-node',
    ],
    [
      'a node that an earlier run has stopped comes first, whatever the health',
      {
        nodes: withoutD1,
        absent: [{ instanceId: 'i-d1', lifecycleState: 'InService' }],
        records: [record('d1', { type: 'RESTART', reason: 'upgrade [in place]' })],
        health: health({ status: 'red' }),
      },
      'wait upgrade-node',
    ],
    [
      'a node that is still old after its command gets the command once more',
      { sent: { node: d1, state: 'succeeded', output: '', times: 1, gone: false } },
      'wait upgrade-node',
    ],
    [
      'a node that is still old after its command ends the run',
      { sent: { node: d1, state: 'succeeded', output: '', times: 2, gone: false } },
      'blocked node-returned',
    ],
    [
      'a node that is back is followed by the next',
      { nodes: half, sent: { node: d1, state: 'succeeded', output: '', times: 2, gone: false } },
      'wait upgrade-node',
    ],
    [
      'a moment of yellow in the middle is waited for',
      { nodes: half, health: health({ status: 'yellow', initializingShards: 1 }) },
      'wait',
    ],
    [
      'yellow that lasts blocks',
      { nodes: half, health: health({ status: 'yellow', initializingShards: 1 }), blockedSince: now - blockedLimitMs },
      'blocked yellow-with-nothing-moving',
    ],
    [
      'red in the middle ends the run at once',
      { nodes: half, health: health({ status: 'red' }) },
      'blocked green-or-yellow',
    ],
    ['all nodes new is the end', { nodes: [...masters('9.5.3'), ...data('9.5.3')] }, 'upgraded'],
    [
      'a node that did not return blocks after a while',
      {
        nodes: half.slice(0, -1),
        absent: [{ instanceId: 'i-d3', lifecycleState: 'InService' }],
        blockedSince: now - blockedLimitMs - minute,
      },
      'blocked one-node-at-a-time',
    ],
  ])('%s', (_title, over, expected) => {
    expect(told(over)).toBe(expected);
  });

  it('a node that is missing when every other one is upgraded is to be replaced: it may be older, and then it may not join', () => {
    const absent = [{ instanceId: 'i-m3', lifecycleState: 'InService' }];
    const step = facts({
      nodes: [...masters('9.5.3').slice(0, -1), ...data('9.5.3')],
      absent,
      blockedSince: now - blockedLimitMs,
    });

    expect(decideUpgrade(step, now)).toMatchObject({
      outcome: {
        kind: 'blocked',
        blockers: [
          { because: expect.stringMatching(/^i-m3 \(InService\): no node in the cluster; .*terminate the instance/) },
        ],
      },
    });
  });
});

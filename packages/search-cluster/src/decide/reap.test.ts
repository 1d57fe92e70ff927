import { expect, it } from 'vitest';
import { health, hour, instance, minute, now, record, topology, voting } from './facts.test-support.ts';
import { decideReap, type ReapFacts } from './reap.ts';

const facts = (over: Partial<ReapFacts> = {}): ReapFacts => ({
  topology: topology(),
  health: health(),
  records: [],
  voting: voting(),
  instances: undefined,
  lastTerminationAt: undefined,
  impairedSince: new Map(),
  ...over,
});
const waiting = instance({ instanceId: 'i-x', lifecycleState: 'Terminating:Wait', privateIp: '10.9.9.9' });
const retained = { ...waiting, lifecycleState: 'Terminating:Retained' };
const launching = { ...waiting, lifecycleState: 'Pending:Wait' };
const impaired = (minutes: number) => new Map([['i-x', now - minutes * minute]]);
const excluded = (nodeId: string) => voting({ exclusions: [{ nodeId, nodeName: nodeId }] });
const old = { startedAt: now - 2 * hour };

const rows: [string, ReapFacts, string[]][] = [
  ['nothing is left behind', facts(), []],
  ['a node that has joined but was not tagged', facts({ instances: [instance({ tags: {} })] }), ['tag-node']],
  ['the record of a node that drains', facts({ records: [record('d1')] }), []],
  ['a drain that was given up', facts({ records: [record('d1', { reason: 'x [gave up: stalled]' })] }), ['report']],
  ['a node is seen absent for the first time', facts({ records: [record('gone', old)] }), ['mark-absent']],
  ['absent for less than an hour', facts({ records: [record('gone', { reason: 'x [node is absent]' })] }), []],
  [
    'absent for over an hour',
    facts({ records: [record('gone', { ...old, reason: 'x [node is absent]' })] }),
    ['delete-record'],
  ],
  [
    'the absent node is back',
    facts({ records: [record('d1', { ...old, reason: 'x [node is absent]' })] }),
    ['unmark-absent'],
  ],
  ['a node that restarts', facts({ records: [record('gone', { type: 'RESTART' })] }), []],
  [
    'a node that never came back from a restart',
    facts({ records: [record('gone', { ...old, type: 'RESTART' })] }),
    ['report'],
  ],
  [
    'a node that was stopped for a restart in place and whose instance is gone',
    facts({ records: [record('gone', { type: 'RESTART', reason: 'x [in place]' })], instances: [instance()] }),
    ['delete-record'],
  ],
  [
    'a node that is stopped for a restart in place',
    facts({
      records: [record('gone', { type: 'RESTART', reason: 'x [in place]' })],
      instances: [instance(), instance({ instanceId: 'i-2', privateIp: '10.9.9.9' })],
    }),
    [],
  ],
  [
    'AWS proves that the node left long ago',
    facts({ records: [record('gone', old)], instances: [instance()], lastTerminationAt: now - 2 * hour }),
    ['delete-record'],
  ],
  [
    'an instance ended within the hour: it may have been this node',
    facts({ records: [record('gone', old)], instances: [instance()], lastTerminationAt: now - minute }),
    ['mark-absent'],
  ],
  [
    'an instance is without its node: it may come back',
    facts({ records: [record('gone', old)], instances: [instance({ privateIp: '10.9.9.9' })] }),
    ['mark-absent'],
  ],
  ['an excluded master is still here', facts({ voting: excluded('m1') }), ['report']],
  ['every excluded master is gone', facts({ voting: excluded('m9') }), ['clear-exclusions']],
  [
    'its hardware failed: EC2 has terminated it, and the cluster is not green for that',
    facts({
      health: health({ status: 'yellow' }),
      instances: [
        { ...waiting, privateIp: undefined, terminated: true },
        { ...retained, privateIp: undefined, terminated: true },
      ],
    }),
    ['complete-hook', 'release-retained'],
  ],
  ['its node has left a green cluster', facts({ instances: [waiting] }), ['complete-hook']],
  [
    'its node has left, the cluster is yellow',
    facts({ instances: [waiting], health: health({ status: 'yellow' }) }),
    ['report'],
  ],
  ['a retained instance without node', facts({ instances: [retained] }), ['release-retained']],
  ['a retained instance with its node', facts({ instances: [{ ...retained, privateIp: '10.0.1.1' }] }), ['report']],
  ['an instance that launches', facts({ instances: [launching] }), []],
  ['one that died while it launched, a moment ago', facts({ instances: [launching], impairedSince: impaired(14) }), []],
  ['one that died while it launched', facts({ instances: [launching], impairedSince: impaired(15) }), ['end-launch']],
  [
    'one in service whose checks fail: its group replaces it',
    facts({ instances: [{ ...launching, lifecycleState: 'InService' }], impairedSince: impaired(60) }),
    [],
  ],
  ['an instance that drains', facts({ instances: [{ ...waiting, privateIp: '10.0.1.1' }] }), []],
  ['an address that is unknown proves nothing', facts({ instances: [{ ...waiting, privateIp: undefined }] }), []],
];

it.each(rows)('decides what to clear: %s', (_title, given, kinds) => {
  expect(decideReap(given, now).map(({ kind }) => kind)).toEqual(kinds);
});

it('[rule 22] clears only what no node needs: a leftover record would lower the node count for auto_expand_replicas', () => {
  const records = [record('d1'), record('gone', { ...old, reason: 'x [node is absent]' })];

  expect(decideReap(facts({ records }), now)).toMatchObject([{ kind: 'delete-record', record: { nodeId: 'gone' } }]);
});

it('[rule 25] never clears voting exclusions while one of the excluded is left', () => {
  const both = voting({
    exclusions: [
      { nodeId: 'm1', nodeName: 'master-1' },
      { nodeId: 'gone', nodeName: 'gone' },
    ],
  });

  expect(decideReap(facts({ voting: both }), now)).toMatchObject([
    { kind: 'report', because: expect.stringContaining('master-1') },
  ]);
});

import { usualGroups } from '@drover/core/names/node-groups';
import { clusterUuidTag } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import type { GroupInstance } from '../model/lifecycle.ts';
import type { GroupFrame } from '../model/spread.ts';
import { checkReady } from './launch/check-ready.ts';
import { decideWatch, keptInstances, type WatchFacts } from './watch.ts';

const now = 1_000_000;
const instance = (lifecycleState: string, tags: GroupInstance['tags'] = {}, groupName = 'logs'): GroupInstance => ({
  instanceId: `i-${lifecycleState}`,
  groupName,
  lifecycleState,
  privateIp: '10.0.0.1',
  tags,
});
const node = { [clusterUuidTag]: 'uuid' };
const deployment = {
  responseUrl: 'https://answer.test',
  response: {},
  masters: 3,
  data: 2,
  minutes: 45,
  deadlineAt: now,
  answered: false,
};
const facts = (change: Partial<WatchFacts>): WatchFacts => ({
  clusterName: 'logs',
  nodeGroups: usualGroups('logs'),
  instances: [],
  targetGroups: [],
  formed: false,
  deployment: undefined,
  notes: [],
  growth: undefined,
  groups: [],
  ...change,
});
const frame = (groupName: string, change: Partial<GroupFrame> = {}): GroupFrame => ({
  groupName,
  minSize: 3,
  maxSize: 3,
  desired: 3,
  zones: [],
  suspended: [],
  members: [],
  ...change,
});
const kinds = (change: Partial<WatchFacts>) => decideWatch(facts(change), now).map(({ kind }) => kind);

describe('instances that never became a node', () => {
  it('a retained instance that never became a node is released, and one that did is kept and counted', () => {
    const [never, kept] = [instance('Terminating:Retained'), instance('Terminating:Retained', node)];

    expect(decideWatch(facts({ instances: [never, kept] }), now)).toEqual([
      { kind: 'release-retained', instance: never },
    ]);
    expect(keptInstances({ instances: [never, kept] })).toEqual([kept]);
  });

  it.each([
    ['is let go while no cluster has ever formed', [], false, ['complete-hook']],
    ['is left to the reap of the masters when the state bucket says that a cluster has formed', [], true, []],
    ['is left to the reap of the masters when a node was commissioned', [instance('InService', node)], false, []],
  ] as const)('an instance without a node whose termination hook waits %s', (_, others, formed, expected) => {
    expect(kinds({ instances: [instance('Terminating:Wait'), ...others], formed })).toEqual(expected);
  });

  it.each(['Pending:Wait', 'InService', 'Terminating'])(
    'an instance without a node that is %s is left alone',
    (state) => {
      expect(kinds({ instances: [instance(state)] })).toEqual([]);
    },
  );
});

describe('rebalancing between zones', () => {
  it('a group that may rebalance between zones is set not to, one that is suspended is left alone', () => {
    const groups = [frame('logs', { suspended: ['AZRebalance'] }), frame('logs-data')];

    expect(decideWatch(facts({ groups }), now)).toEqual([{ kind: 'suspend-rebalancing', groupName: 'logs-data' }]);
  });
});

describe('a deployment that waits for a green cluster', () => {
  it('a deployment fails at its deadline, with what is in service and what instances noted', () => {
    const instances = [
      instance('InService'),
      instance('Pending:Wait'),
      { ...instance('Pending:Wait', {}, 'logs-data'), instanceId: 'i-data' },
    ];
    const notes = [
      { instanceId: 'i-gone', groupName: 'logs', note: 'boot failed: no route' },
      { instanceId: 'i-InService', groupName: 'logs', note: 'cluster yellow: 1 of 5 nodes have joined' },
    ];

    expect(decideWatch(facts({ instances, notes, deployment }), now)).toEqual([
      {
        kind: 'fail-deployment',
        deployment,
        reason: [
          'the cluster was not green within 45 minutes: 1 of 3 masters and 0 of 2 data nodes are in service',
          'i-gone of logs: boot failed: no route',
          'i-InService of logs: cluster yellow: 1 of 5 nodes have joined',
          'i-Pending:Wait of logs is Pending:Wait and has said nothing',
          'i-data of logs-data is Pending:Wait and has said nothing',
        ].join('; '),
      },
    ]);
  });

  it.each([
    ['before its deadline', { ...deployment, deadlineAt: now + 1 }],
    ['when it was notified', { ...deployment, answered: true }],
  ])('a deployment does not fail %s', (_, waiting) => {
    expect(kinds({ deployment: waiting })).toEqual([]);
  });

  it.each([
    ['green', 5, 2, true],
    ['yellow', 5, 2, false],
    ['green', 4, 2, false],
    ['green', 5, 1, false],
  ] as const)(
    'a cluster that is %s with %i nodes and %i data nodes is ready for 3 and 2: %s',
    (status, nodes, dataNodes, ready) => {
      const health = {
        clusterName: 'logs',
        nodeGroups: usualGroups('logs'),
        status,
        nodes,
        dataNodes,
        relocatingShards: 0,
        initializingShards: 0,
        unassignedShards: 0,
        delayedShards: 0,
      };

      expect(checkReady(health, deployment).ready).toBe(ready);
    },
  );
});

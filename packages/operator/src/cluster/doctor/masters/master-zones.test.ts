import type { SpreadNote } from '@drover/search-cluster';
import { expect, it } from 'vitest';
import type { GroupFacts } from '../../../doctor/group-facts.ts';
import { mastersInOneZone } from './master-zones.ts';

const minute = 60_000;
const now = 200 * minute;
const note: SpreadNote = { startedAt: now - 3 * minute, zones: ['a'], masters: 3, instances: ['b', 'b2', 'c'] };
const noCapacity: SpreadNote = { ...note, ended: { at: now - 6 * minute, outcome: 'no-capacity' } };
/** `b2` is the second master in zone b. */
const master = (id: string, state = 'InService') => ({ id, zone: id[0]!, state });
const crowded = [master('b'), master('b2'), master('c')];

const failed = { kind: 'failed', message: 'not asked' } as const;
const unread = { now, voting: failed, topology: failed, instances: [], terminating: [] };

it.each<[string, Partial<GroupFacts>, SpreadNote | undefined, string, RegExp]>([
  ['one in each zone', { members: ['a', 'b', 'c'].map((id) => master(id)) }, undefined, 'ok', /when any zone is lost/],
  [
    'two of three in one, which has not begun to change',
    {},
    undefined,
    'problem',
    /2 of 3 masters are in b: .*; the elected master spreads them once .* fix: wait half an hour/,
  ],
  ['one more on its way', { desired: 4 }, note, 'problem', /one more is being launched for a, for 3 min .*wait/],
  [
    'one more that boots',
    { desired: 4, members: [...crowded, master('a', 'Pending:Wait')] },
    note,
    'problem',
    /a is launching in a/,
  ],
  ['one more that serves', { desired: 4, members: [...crowded, master('a')] }, note, 'problem', /one of .* goes next/],
  [
    'a zone without capacity',
    {},
    noCapacity,
    'problem',
    /ended 6 min ago, because Auto Scaling launched in another zone.*; the next one begins in 9 min/,
  ],
  ['a size that an operator has raised', { desired: 4 }, undefined, 'problem', /set-desired-capacity .*logs .* 3$/],
  ['no room', { maxSize: 3 }, undefined, 'problem', /fix: deploy the cluster again/],
  ['two zones', { zones: ['b', 'c'] }, undefined, 'notice', /of two zones one always has the majority/],
  ['one zone', { zones: ['b'], members: [master('b')] }, undefined, 'ok', /1 of 1 masters are in b/],
])('drover cluster doctor judges the zones of the masters: %s', (_, change, noted, verdict, says) => {
  const group = { name: 'logs', desired: 3, minSize: 3, maxSize: 4, zones: ['a', 'b', 'c'], members: crowded };
  const groups = [{ ...group, ...change } as GroupFacts];
  const spread = { kind: 'read', value: noted } as const;
  const found = mastersInOneZone({ ...unread, groups, masterGroup: 'logs', spread });

  expect(found.verdict).toBe(verdict);
  expect(`${found.evidence} fix: ${found.fix}`).toMatch(says);
});

const votes = '2 of 3 masters that vote are in b: the cluster would not survive the loss of that zone';

it.each<[string, readonly ReturnType<typeof master>[], readonly string[], number, string, string]>([
  ['that are spread', [], ['a', 'b', 'c'], 0, 'ok', 'the masters elect one of them when any zone is lost; undefined'],
  [
    'of which one leaves, since a minute',
    [master('b2', 'Terminating:Wait')],
    ['a', 'b', 'b2'],
    1,
    'notice',
    `${votes}; b2 has been leaving for 60 s; wait until the replacement is complete`,
  ],
  [
    'of which one waits for its turn to leave',
    [master('b2', 'Terminating:Wait')],
    ['a', 'b', 'b2'],
    35,
    'problem',
    `${votes}; b2 has been leaving for 35 min; wait until b2 has left; or take its vote: cluster-cli api POST '/_cluster/voting_config_exclusions?node_names=master-b2', which reap clears when it is gone`,
  ],
  [
    'of which one has been launching for long',
    [master('b2', 'Pending:Wait')],
    ['a', 'b', 'b2'],
    12,
    'problem',
    `${votes}; b2 has been launching for 12 min; wait: a launch that takes longer than half an hour is named by missing-nodes`,
  ],
  [
    'of which one is away',
    [],
    ['a', 'b', 'gone'],
    0,
    'ok',
    'the masters elect one of them when any zone is lost; undefined',
  ],
])('drover cluster doctor judges the votes of masters in service in three zones: %s', (...row) => {
  const [, further, committed, minutes, verdict, says] = row;
  const members = [...['a', 'b', 'c'].map((id) => master(id)), ...further];
  const instances = members.map(({ id, state: lifecycleState }) => {
    return { instanceId: id, groupName: 'logs', lifecycleState, privateIp: `ip-${id}`, tags: {} };
  });
  const since = now - minutes * minute;
  const found = mastersInOneZone({
    now,
    groups: [
      {
        ...{ name: 'logs', desired: 3, minSize: 3, maxSize: 4, zones: ['a', 'b', 'c'], members },
        launchingSince: new Map([['b2', since]]),
      } as unknown as GroupFacts,
    ],
    masterGroup: 'logs',
    spread: { kind: 'read', value: undefined },
    voting: { kind: 'read', value: { committed, exclusions: [] } },
    topology: {
      kind: 'read',
      value: {
        clusterName: 'logs',
        clusterUuid: 'uuid',
        nodes: members.map(({ id }) => ({ id, name: `master-${id}`, ip: `ip-${id}`, roles: ['master'] })),
      },
    },
    instances,
    terminating: instances
      .filter(({ lifecycleState }) => lifecycleState === 'Terminating:Wait')
      .map((one) => ({ ...one, since })),
  });

  expect(found.verdict).toBe(verdict);
  expect(`${found.evidence}; ${found.fix}`).toBe(says);
});

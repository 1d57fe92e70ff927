import type { SpreadNote } from '@drover/search-cluster';
import { expect, it } from 'vitest';
import type { GroupFacts } from '../../doctor/group-facts.ts';
import { mastersInOneZone } from './master-zones.ts';

const minute = 60_000;
const now = 200 * minute;
const note: SpreadNote = { startedAt: now - 3 * minute, zones: ['a'], masters: 3, instances: ['b', 'b2', 'c'] };
const noCapacity: SpreadNote = { ...note, ended: { at: now - 6 * minute, outcome: 'no-capacity' } };
/** `b2` is the second master in zone b. */
const master = (id: string, state = 'InService') => ({ id, zone: id[0]!, state });
const crowded = [master('b'), master('b2'), master('c')];

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
  const found = mastersInOneZone({ groups, masterGroup: 'logs', now, spread: { kind: 'read', value: noted } });

  expect(found.verdict).toBe(verdict);
  expect(`${found.evidence} fix: ${found.fix}`).toMatch(says);
});

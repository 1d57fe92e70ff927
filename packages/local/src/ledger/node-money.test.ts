import { expect, it } from 'vitest';
import { accountNodes, type GroupMinute, type NodeMinute, wantedNodes } from './node-money.ts';

const node = (id: string, state: string | undefined = 'InService', change: Partial<NodeMinute> = {}): NodeMinute => ({
  id,
  state,
  dead: false,
  bootMinutes: 0,
  wasted: -1,
  ...change,
});
const account = (nodes: readonly NodeMinute[], change: Partial<GroupMinute> = {}) =>
  Object.fromEntries(accountNodes({ nodes, size: 2, replaces: false, mostBootMinutes: 40, ...change }));
const two = [node('i-1'), node('i-2')];

it.each<[string, readonly NodeMinute[], string, Partial<GroupMinute>?]>([
  ['a newcomer while another one is replaced', [node('i-3')], 'newcomer', { replaces: true }],
  ['surplus when nothing is replaced', [node('i-3')], 'surplus'],
  ['a boot', [node('i-3', 'Pending:Wait', { bootMinutes: 40 })], 'boot'],
  ['an endless boot', [node('i-3', 'Pending:Wait', { bootMinutes: 41 })], 'endless boot'],
  ['a drain', [node('i-3', 'Terminating:Wait', { dead: true })], 'drain'],
  ['kept for inspection', [node('i-3', 'Terminating:Retained')], 'kept for inspection'],
  ['dead', [node('i-3', 'InService', { dead: true })], 'dead'],
  ['a dead one that launches', [node('i-3', 'Pending:Wait', { dead: true })], 'dead'],
  ['a stray one', [{ ...node('i-3'), state: undefined }], 'stray'],
])('a third instance of a group of two is accounted as %s', (_, third, expected, change = {}) => {
  const word = expected.replace(/^an? /, '');

  expect(account([...two, ...third], change)).toEqual({ 'i-1': 'node', 'i-2': 'node', 'i-3': word });
});

it('a dead instance in service is no waste while its group launches another one', () => {
  const nodes = [node('i-1', 'InService', { dead: true }), node('i-2'), node('i-3', 'Pending:Wait')];

  expect(account(nodes)).toEqual({ 'i-1': 'dead until another serves', 'i-2': 'node', 'i-3': 'boot' });
});

it('the surplus of a group stays with the instance that was it before', () => {
  const nodes = [node('i-1', 'InService', { wasted: 5 }), node('i-2'), node('i-3')];

  expect(account(nodes)).toEqual({ 'i-1': 'surplus', 'i-2': 'node', 'i-3': 'node' });
});

it.each<[string, number, number, boolean, number]>([
  ['masters that are spread have one more than they should', 3, 4, true, 3],
  ['nodes that full disks have added are wanted', 2, 3, false, 3],
  ['a group without a minimum should have as many as it wants', 0, 3, true, 3],
])('%s', (_, minSize, desiredCapacity, isMasters, wanted) => {
  expect(wantedNodes({ minSize, desiredCapacity }, isMasters)).toBe(wanted);
});

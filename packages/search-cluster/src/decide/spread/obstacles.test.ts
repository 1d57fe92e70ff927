import { expect, it } from 'vitest';
import type { GroupInstance } from '../../model/lifecycle.ts';
import { markInPlace } from '../../model/shutdown.ts';
import { dataNodes, health, masters, minute, now, record, topology, voting, without } from '../facts.test-support.ts';
import { obstacles, type QuietFacts } from './obstacles.ts';

const group = (groupName: string) => ({
  groupName,
  minSize: 3,
  maxSize: 4,
  desired: 3,
  zones: ['a', 'b', 'c'],
  suspended: ['AZRebalance'],
  members: [],
});
const instances: readonly GroupInstance[] = [...masters, ...dataNodes].map(({ id, ip, roles }) => ({
  instanceId: `i-${id}`,
  groupName: roles.includes('master') ? 'logs' : 'logs-data',
  lifecycleState: 'InService',
  privateIp: ip,
  tags: {},
}));
const facts = (over: Partial<QuietFacts> = {}): QuietFacts => ({
  health: health(),
  topology: topology(),
  records: [],
  voting: voting(),
  versions: ['8.19.2', '8.19.2'],
  groups: [group('logs'), group('logs-data')],
  instances,
  refreshes: [],
  deployment: undefined,
  ...over,
});
const deployment = {
  responseUrl: '',
  response: {},
  masters: 3,
  data: 3,
  minutes: 45,
  deadlineAt: now + minute,
  answered: false,
};
const restart = { type: 'RESTART', reason: markInPlace('upgrade') };

it.each([
  ['nothing', {}, []],
  ['a yellow cluster', { health: health({ status: 'yellow' }) }, ['the cluster is yellow']],
  ['a deployment that waits', { deployment }, ['a deployment waits for the cluster']],
  ['a deployment that was notified', { deployment: { ...deployment, answered: true } }, []],
  ['a refresh', { refreshes: ['logs-data'] }, ['the instances of logs-data are being refreshed']],
  ['an upgrade', { versions: ['8.19.2', '9.1.5'] }, ['the nodes have different versions']],
  ['a drain', { records: [record('d1')] }, ['node d1 has a shutdown record (REMOVE)']],
  ['a record of a node that is gone', { records: [record('gone')] }, []],
  ['a restart in place', { records: [record('gone', restart)] }, ['node gone has a shutdown record (RESTART)']],
  [
    'a vote that moves',
    { voting: voting({ exclusions: [{ nodeId: 'm1', nodeName: 'master-1' }] }) },
    ['a master is excluded from voting'],
  ],
  [
    'a launch',
    { instances: [{ ...instances[0]!, lifecycleState: 'Pending:Wait' }, ...instances.slice(1)] },
    ['i-m1 is Pending:Wait'],
  ],
  ['a missing instance', { instances: instances.slice(1) }, ['logs has 2 of 3 instances']],
  ['a node that is not in the cluster', { topology: without('d2') }, ['the node of i-d2 is not in the cluster']],
  [
    'a suspended process',
    { groups: [{ ...group('logs'), suspended: ['Launch'] }] },
    ['the process Launch of logs is suspended'],
  ],
] as const)('masters are kept from being moved by %s: %j', (_, over, expected) => {
  expect(obstacles(facts(over as Partial<QuietFacts>), now)).toEqual(expected);
});

import { expect, it } from 'vitest';
import type { GroupFacts } from '../../doctor/group-facts.ts';
import type { ClusterFacts } from './facts.ts';
import { missingNodes } from './node-checks.ts';

const minute = 60_000;
const now = 200 * minute;
const read = <T>(value: T) => ({ kind: 'read', value }) as const;
const ids = ['m1', 'm2', 'm3'];
const group = {
  name: 'logs',
  desired: 3,
  zones: ['a'],
  members: ids.map((id) => ({ id, zone: 'a', state: 'InService' })),
  launchingSince: new Map(),
} as unknown as GroupFacts;
const instances = ids.map((id) => ({
  instanceId: id,
  groupName: 'logs',
  lifecycleState: 'InService',
  privateIp: id,
}));
const nodes = ['m1', 'm2'].map((id) => ({ id, name: id, ip: id, roles: ['master'] }));

/** The third master is stopped, or outside. */
const facts = (reason: string, minutes: number, versions: readonly string[]) =>
  ({
    now,
    stack: 'logs',
    masterGroup: 'logs',
    groups: [group],
    instances,
    topology: read({ clusterName: 'logs', clusterUuid: 'u', nodes }),
    versions: read(versions),
    records: read([{ nodeId: 'm3', type: 'RESTART', reason, startedAt: now - minutes * minute }]),
  }) as unknown as ClusterFacts;
const upgrade = 'upgrade-9.5.3 [in place]';
const upgraded = ['9.5.3', '9.5.3'];

it.each<[string, ClusterFacts, string, RegExp]>([
  ['its upgrade is under way', facts(upgrade, 14, upgraded), 'notice', /a restart in place is under way fix: wait/],
  [
    'every other node runs the version of its upgrade, which began a while ago',
    facts(upgrade, 20, upgraded),
    'problem',
    /began 20 min ago, and every other node runs 9\.5\.3: .* may not join any more fix: drover cluster upgrade --to 9\.5\.3 --resume/,
  ],
  ['another node is as old', facts(upgrade, 20, ['8.19.21', '9.5.3']), 'notice', /a restart in place is under way/],
  ['its kernel is changed', facts('kernel [in place]', 20, upgraded), 'notice', /a restart in place is under way/],
])('drover cluster doctor judges a node outside of the cluster: %s', (_, given, verdict, says) => {
  const found = missingNodes(given);

  expect(found.verdict).toBe(verdict);
  expect(`${found.evidence} fix: ${found.fix}`).toMatch(says);
});

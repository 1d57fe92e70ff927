import { describe, expect, it } from 'vitest';
import {
  dataNodes,
  health,
  hook,
  hour,
  instance,
  member,
  minute,
  now,
  record,
  topology,
  without,
} from '../facts.test-support.ts';
import { checkMembership } from './check-membership.ts';
import { type CommissionStep, decideCommission } from './commission.ts';
import type { CommissionFacts, CommissionHistory, CommissionReadFacts } from './commission-facts.ts';

const settled: CommissionHistory = {
  stableReadings: 3,
  stableSince: now - minute,
  foreignSince: undefined,
  completeReadings: 0,
  lastHeartbeatAt: now - minute,
  hookGone: false,
  retriedFailedShards: true,
};
const launch = { member: member({ lifecycleState: 'Pending:Wait' }), hook: hook({ name: 'launching' }) };

const facts = (over: Partial<CommissionReadFacts> = {}): CommissionReadFacts => ({
  stage: 'read',
  case: { launch, deadlineAt: now + hour },
  history: settled,
  nodeId: 'd1',
  topology: topology(),
  health: health(),
  recovery: { active: 0, bytesTotal: 0, bytesRecovered: 0 },
  shardsOnNode: 4,
  records: [],
  peers: undefined,
  ...over,
});
const summary = (step: CommissionStep) =>
  step.kind === 'wait'
    ? 'wait'
    : step.outcome.kind === 'timed-out'
      ? `timed-out ${step.outcome.end}`
      : step.outcome.kind;
const actionsOf = (step: CommissionStep) =>
  (step.actions ?? []).map((action) => (action.kind === 'complete-hook' ? `complete ${action.result}` : action.kind));

const over = { case: { launch, deadlineAt: now } };
const moving = { active: 2, bytesTotal: 10, bytesRecovered: 5 };
const abandoning = record('d1', { reason: 'commission timed out', status: 'IN_PROGRESS' });

const rows: [string, CommissionFacts, string, string[]][] = [
  ['settled', facts(), 'commissioned', ['tag-cluster', 'complete CONTINUE']],
  ['settled, without a hook', facts({ case: { launch: undefined, deadlineAt: now + hour } }), 'commissioned', []],
  ['the cluster has not formed', facts({ topology: { ...topology(), clusterUuid: undefined } }), 'wait', []],
  ['not joined yet', facts({ topology: without('d1') }), 'wait', []],
  [
    'failed shards are retried first',
    facts({ history: { ...settled, retriedFailedShards: false } }),
    'wait',
    ['tag-cluster', 'retry-failed-shards'],
  ],
  ['shards recover to this node', facts({ recovery: moving }), 'wait', []],
  ['one quiet reading', facts({ history: { ...settled, stableReadings: 1 } }), 'wait', []],
  ['others relocate', facts({ health: health({ relocatingShards: 2 }) }), 'wait', []],
  [
    'others relocate without end',
    facts({ health: health({ relocatingShards: 2 }), history: { ...settled, stableSince: now - 11 * minute } }),
    'commissioned',
    ['tag-cluster', 'complete CONTINUE'],
  ],
  [
    'a heartbeat is due',
    facts({ recovery: moving, history: { ...settled, lastHeartbeatAt: now - 20 * minute } }),
    'wait',
    ['heartbeat'],
  ],
  [
    'time over, no shard',
    facts({ ...over, shardsOnNode: 0, recovery: moving }),
    'timed-out abandoned',
    ['cancel-refresh', 'complete ABANDON'],
  ],
  [
    'time over with shards: drain first',
    facts({ ...over, recovery: moving }),
    'wait',
    ['cancel-refresh', 'register-shutdown'],
  ],
  ['time over, another node drains', facts({ ...over, recovery: moving, records: [record('d2')] }), 'wait', []],
  ['time over, draining', facts({ ...over, records: [abandoning] }), 'wait', []],
  ['an earlier run began to drain it', facts({ records: [abandoning] }), 'wait', []],
  [
    'drained, then abandoned',
    facts({ ...over, records: [{ ...abandoning, status: 'COMPLETE' }], history: { ...settled, completeReadings: 2 } }),
    'timed-out abandoned',
    ['cancel-refresh', 'complete ABANDON'],
  ],
  [
    'cannot be drained before AWS ends the hook: kept rather than lost',
    facts({
      case: { launch: { ...launch, hook: hook({ startedAt: now - 48 * hour + minute }) }, deadlineAt: now },
      records: [abandoning],
    }),
    'timed-out kept',
    ['cancel-refresh', 'withdraw-shutdown', 'complete CONTINUE'],
  ],
  ['time over without a hook', facts({ case: { launch: undefined, deadlineAt: now } }), 'timed-out left-open', []],
  [
    'unreadable',
    {
      stage: 'unreadable',
      case: { launch, deadlineAt: now + hour },
      history: { ...settled, lastHeartbeatAt: undefined },
      error: 'x',
    },
    'wait',
    ['heartbeat'],
  ],
];

it.each(rows)('decides the launch of a node: %s', (_title, given, expected, actions) => {
  const step = decideCommission(given, now);

  expect([summary(step), actionsOf(step)]).toEqual([expected, actions]);
});

it('[rule 24] does not take a moment without relocations for readiness', () => {
  const queued = facts({
    health: health({ relocatingShards: 0 }),
    recovery: { active: 1, bytesTotal: 1, bytesRecovered: 0 },
  });

  expect(decideCommission(queued, now).kind).toBe('wait');
});

describe('whether the node is in the cluster of the others', () => {
  it.each([
    ['the others are unknown', undefined, 'member'],
    ['the first of all', [], 'member'],
    ['another in service is here', [instance({ privateIp: '10.0.1.2' })], 'member'],
    ['those in service are all elsewhere', [instance({ privateIp: '10.9.9.9', tags: {} })], 'refusal'],
    [
      'another was commissioned elsewhere',
      [instance({ privateIp: '10.0.1.2', tags: { 'drover:cluster-uuid': 'uuid-2' } })],
      'refusal',
    ],
    [
      'those elsewhere are launching too',
      [instance({ privateIp: '10.9.9.9', lifecycleState: 'Pending:Wait' })],
      'member',
    ],
  ])('%s', (_title, peers, expected) => {
    expect(checkMembership(topology(), 'd1', peers).kind).toBe(expected);
  });

  it('gives a slow join ten minutes, then refuses and abandons a node that holds nothing', () => {
    const alone = (foreignSince: number) =>
      facts({
        topology: topology([dataNodes[0]!]),
        peers: [instance({ privateIp: '10.9.9.9' })],
        shardsOnNode: 0,
        history: { ...settled, foreignSince },
      });

    expect(decideCommission(alone(now - minute), now).kind).toBe('wait');
    const step = decideCommission(alone(now - 11 * minute), now);
    expect([summary(step), actionsOf(step)]).toEqual(['refused', ['cancel-refresh', 'complete ABANDON']]);
  });
});

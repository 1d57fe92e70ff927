import { describe, expect, it } from 'vitest';
import { globalTimeoutMs, deadlineAt as latest } from '../deadline.ts';
import {
  before,
  copy,
  dataNodes,
  draining,
  health,
  history,
  hook,
  hour,
  manualCase,
  masters,
  minute,
  noDisks,
  now,
  record,
  terminatingCase,
  topology,
  verdict,
  voting,
  without,
} from '../facts.test-support.ts';
import { type DecommissionStep, decideDecommission } from './decommission.ts';
import type { DecommissionFacts } from './decommission-facts.ts';

const actionsOf = (step: DecommissionStep) => (step.actions ?? []).map(({ kind }) => kind);
const summary = (step: DecommissionStep) =>
  step.kind === 'wait'
    ? 'wait'
    : 'refusal' in step.outcome
      ? `${step.outcome.kind} ${step.outcome.refusal.name}`
      : step.outcome.kind;

describe('before the shutdown is registered', () => {
  const rows: [string, DecommissionFacts, string, string[]][] = [
    ['everything is fine', before(), 'wait', ['register-shutdown']],
    [
      'yellow',
      before({ health: health({ status: 'yellow' }) }),
      'refused not-green',
      ['cancel-refresh', 'tag-instance'],
    ],
    ['red', before({ health: health({ status: 'red' }) }), 'refused not-green', ['cancel-refresh', 'tag-instance']],
    [
      'yellow, by hand: nothing of AWS is touched',
      before({ case: manualCase(), health: health({ status: 'yellow' }) }),
      'refused not-green',
      [],
    ],
    [
      'yellow just after another node has left: it settles',
      before({ health: health({ status: 'yellow' }), history: history({ leaseLastHeldAt: now - 5 * minute }) }),
      'wait',
      [],
    ],
    [
      'yellow while a copy is made: read again',
      before({ health: health({ status: 'yellow', initializingShards: 1 }), history: history({ passingSince: now }) }),
      'wait',
      [],
    ],
    [
      'yellow while a node that left is waited for: read again',
      before({
        health: health({ status: 'yellow', delayedShards: 1 }),
        history: history({ passingSince: now - 4 * minute }),
      }),
      'wait',
      [],
    ],
    [
      'yellow while copies are made for five minutes',
      before({
        health: health({ status: 'yellow', initializingShards: 1 }),
        history: history({ passingSince: now - 5 * minute }),
      }),
      'refused not-green',
      ['cancel-refresh', 'tag-instance'],
    ],
    [
      'red while copies are made',
      before({ health: health({ status: 'red', initializingShards: 1 }), history: history({ passingSince: now }) }),
      'refused not-green',
      ['cancel-refresh', 'tag-instance'],
    ],
    [
      'yellow for long after another node has left',
      before({ health: health({ status: 'yellow' }), history: history({ leaseLastHeldAt: now - 11 * minute }) }),
      'refused not-green',
      ['cancel-refresh', 'tag-instance'],
    ],
    ['another node drains: wait without writing', before({ records: [record('d2')] }), 'wait', []],
    ['the record of an absent node is no lease', before({ records: [record('gone')] }), 'wait', ['register-shutdown']],
    [
      'the record of a node that gave up is no lease',
      before({ records: [record('d2', { reason: 'x [gave up: stalled]' })] }),
      'wait',
      ['register-shutdown'],
    ],
    [
      'a record older than any hook is no lease',
      before({ records: [record('d2', { startedAt: now - 49 * hour })] }),
      'wait',
      ['register-shutdown'],
    ],
    ['a restart is no lease', before({ records: [record('d2', { type: 'RESTART' })] }), 'wait', ['register-shutdown']],
    [
      'a master while another is missing',
      before({ case: terminatingCase({ nodeId: 'm1' }), topology: without('m3') }),
      'refused quorum-at-risk',
      ['cancel-refresh', 'tag-instance'],
    ],
    [
      'a master whose vote can be moved at the end',
      before({
        case: terminatingCase({ nodeId: 'm1' }),
        topology: without('m3'),
        voting: voting({ committed: ['m1'] }),
      }),
      'wait',
      ['register-shutdown'],
    ],
    [
      'a last copy without a place',
      before({ placement: { ...noDisks, lone: [{ shard: copy('logs', 'd1'), verdicts: [verdict('d2', 'filter')] }] } }),
      'refused last-copy',
      ['cancel-refresh', 'tag-instance'],
    ],
    [
      'a last copy that finds a place',
      before({ placement: { ...noDisks, lone: [{ shard: copy('logs', 'd1'), verdicts: [verdict('d2')] }] } }),
      'wait',
      ['register-shutdown'],
    ],
    [
      'no room on the disks',
      before({
        placement: {
          ...noDisks,
          copies: [copy('logs', 'd1')],
          disks: [{ nodeId: 'd2', totalBytes: 100, availableBytes: 100 }],
          lowWatermark: { kind: 'used-share', share: 0.85 },
        },
      }),
      'refused disk-watermark',
      ['cancel-refresh', 'tag-instance'],
    ],
    [
      'the time is over while another node drains',
      before({ records: [record('d2')], case: terminatingCase({ deadlineAt: now }) }),
      'timed-out',
      ['cancel-refresh'],
    ],
  ];

  it.each(rows)('%s', (_title, facts, expected, actions) => {
    const step = decideDecommission(facts, now);

    expect([summary(step), actionsOf(step)]).toEqual([expected, actions]);
  });

  it('heartbeats at a refusal, so that the next scheduled run finds the instance still waiting', () => {
    const step = decideDecommission(
      before({ health: health({ status: 'yellow' }), history: history({ lastHeartbeatAt: undefined }) }),
      now,
    );

    expect(actionsOf(step)).toEqual(['cancel-refresh', 'tag-instance', 'heartbeat']);
  });
});

describe('while the node drains', () => {
  const withSpare = topology([...masters, { id: 'm4', name: 'm4', ip: 'm4', roles: ['master'] }, ...dataNodes]);
  const stall = { status: 'STALLED', explanation: 'shard [0] [primary] of index [logs] cannot move' } as const;
  const longStalled = history({ stalledReadings: 9, stalledSince: now - 10 * minute });
  const gaveUp = 'instance_refresh [gave up: stalled]';
  const rows: [string, DecommissionFacts, string, string[]][] = [
    ['shards are left', draining({}), 'wait', []],
    ['not started yet', draining({ status: 'NOT_STARTED' }), 'wait', []],
    [
      'one COMPLETE is not enough',
      draining({ status: 'COMPLETE' }, { history: history({ completeReadings: 1 }) }),
      'wait',
      [],
    ],
    [
      'two COMPLETE are',
      draining({ status: 'COMPLETE' }, { history: history({ completeReadings: 2 }) }),
      'drained',
      ['complete-hook'],
    ],
    [
      'by hand there is no hook to complete',
      draining({ status: 'COMPLETE' }, { case: manualCase(), history: history({ completeReadings: 2 }) }),
      'drained',
      [],
    ],
    [
      'a drained node that would now cost the quorum is not let go',
      {
        ...draining({ status: 'COMPLETE', nodeId: 'm1' }, { history: history({ completeReadings: 2 }) }),
        topology: without('m3'),
      },
      'wait',
      [],
    ],
    [
      'a drained master whose vote has to move first',
      {
        ...draining({ status: 'COMPLETE', nodeId: 'm1' }, { history: history({ completeReadings: 2 }) }),
        topology: without('m3'),
        voting: voting({ committed: ['m1'] }),
      },
      'wait',
      ['exclude-vote'],
    ],
    [
      'a drained master whose vote another one can take',
      {
        ...draining({ status: 'COMPLETE', nodeId: 'm1' }, { history: history({ completeReadings: 2 }) }),
        topology: withSpare,
      },
      'wait',
      ['exclude-vote'],
    ],
    [
      'a drained master whose vote another one has taken',
      {
        ...draining({ status: 'COMPLETE', nodeId: 'm1' }, { history: history({ completeReadings: 2 }) }),
        topology: withSpare,
        voting: voting({ committed: ['m2', 'm3', 'm4'] }),
      },
      'drained',
      ['complete-hook'],
    ],
    [
      'a drained master beside three others of which the one without a vote leaves, too',
      {
        ...draining({ status: 'COMPLETE', nodeId: 'm1' }, { history: history({ completeReadings: 2 }) }),
        topology: withSpare,
        records: [record('m1'), record('m4')],
      },
      'drained',
      ['complete-hook'],
    ],
    [
      'the second look is taken even when the time is over',
      draining(
        { status: 'COMPLETE' },
        { case: terminatingCase({ deadlineAt: now }), history: history({ completeReadings: 1 }) },
      ),
      'wait',
      [],
    ],
    [
      'STALLED may pass',
      draining(stall, { history: history({ stalledReadings: 4, stalledSince: now - hour }) }),
      'wait',
      [],
    ],
    [
      'STALLED for a short time may pass',
      draining(stall, { history: history({ stalledReadings: 9, stalledSince: now - minute }) }),
      'wait',
      [],
    ],
    [
      'STALLED for long: the record stays while the instance terminates',
      draining(stall, { history: longStalled }),
      'stalled stalled',
      ['register-shutdown', 'tag-instance', 'cancel-refresh'],
    ],
    [
      'STALLED for long by hand: the record is deleted',
      draining(stall, { case: manualCase(), history: longStalled }),
      'stalled stalled',
      ['withdraw-shutdown'],
    ],
    [
      'the time is over',
      draining({}, { case: terminatingCase({ deadlineAt: now }) }),
      'timed-out',
      ['register-shutdown', 'tag-instance', 'cancel-refresh'],
    ],
    [
      'the time is over by hand',
      draining({}, { case: manualCase({ deadlineAt: now }) }),
      'timed-out',
      ['withdraw-shutdown'],
    ],
    [
      'a later run of a drain that was given up ends soon, without marking it again',
      draining({ ...stall, reason: gaveUp }, { history: history({ stalledReadings: 2, stalledSince: now - 5_000 }) }),
      'stalled stalled',
      ['tag-instance', 'cancel-refresh'],
    ],
    ['a drain that was given up moves again', draining({ reason: gaveUp }), 'wait', ['register-shutdown']],
    [
      'a drain that was given up completes after all',
      draining({ status: 'COMPLETE', reason: gaveUp }, { history: history({ completeReadings: 2 }) }),
      'drained',
      ['complete-hook'],
    ],
  ];

  it.each(rows)('%s', (_title, facts, expected, actions) => {
    const step = decideDecommission(facts, now);

    expect([summary(step), actionsOf(step)]).toEqual([expected, actions]);
  });

  it.each([
    ['later', now, ['withdraw-shutdown']],
    ['earlier', now - 2 * minute, []],
    ['at the same moment with the higher id', now - minute, ['withdraw-shutdown']],
  ])('a draining node that finds two records, ours being %s', (_title, startedAt, actions) => {
    const mine = record('d2', { startedAt });
    const facts = {
      ...draining({}),
      case: terminatingCase({ nodeId: 'd2' }),
      own: mine,
      records: [mine, record('d1')],
    };

    expect(actionsOf(decideDecommission(facts, now))).toEqual(actions);
  });

  it('a node that was absent meanwhile yields to the node that drains, or takes the lease back', () => {
    const mine = record('d1', { reason: 'x [node is absent]', startedAt: now - hour });
    const yields = { ...draining({}), own: mine, records: [mine, record('d2')] };
    const takes = { ...draining({}), own: mine, records: [mine] };

    expect(actionsOf(decideDecommission(yields, now))).toEqual(['withdraw-shutdown']);
    expect(decideDecommission(takes, now).actions).toContainEqual({ kind: 'register-shutdown', reason: 'x' });
  });
});

describe('the hook', () => {
  it.each([
    ['never in this run', undefined, false, true],
    ['a third of its timeout ago', now - 20 * minute, false, true],
    ['a moment ago', now - 19 * minute, false, false],
    ['but the instance waits no longer', undefined, true, false],
  ])('gets a heartbeat when the last one was %s', (_title, lastHeartbeatAt, hookGone, expected) => {
    const step = decideDecommission(draining({}, { history: history({ lastHeartbeatAt, hookGone }) }), now);

    expect(actionsOf(step).includes('heartbeat')).toBe(expected);
  });

  it('the termination hook is kept alive while Elasticsearch cannot be read, which never counts as drained', () => {
    const facts = {
      stage: 'unreadable',
      case: terminatingCase(),
      history: history({ lastHeartbeatAt: undefined }),
      error: 'timeout',
    } as const;

    const step = decideDecommission(facts, now);

    expect([summary(step), actionsOf(step)]).toEqual(['wait', ['heartbeat']]);
  });

  it.each([
    ['the option', hour, hook(), now + hour],
    ['the hook, minus 15 minutes', 48 * hour, hook({ startedAt: now - hour }), now + 47 * hour - 15 * minute],
    ['the option without a hook', 48 * hour, undefined, now + 48 * hour],
    ['a minute, so that a late run looks twice', 48 * hour, hook({ startedAt: now - 48 * hour }), now + minute],
  ])('[rule 2] sets the deadline: %s', (_title, waitMs, facts, expected) => {
    expect(latest(now, waitMs, facts)).toBe(expected);
  });

  it('[rule 2] ends after 48 hours or 100 heartbeat timeouts, whichever is shorter', () => {
    expect(globalTimeoutMs(hour)).toBe(48 * hour);
    expect(globalTimeoutMs(10 * minute)).toBe(1000 * minute);
  });
});

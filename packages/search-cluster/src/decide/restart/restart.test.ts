import { describe, expect, it } from 'vitest';
import { restartDelayMs } from '../../model/shutdown.ts';
import { checkBefore } from '../drain/check-before.ts';
import { before, copy, health, hour, minute, now, record, topology, voting, without } from '../facts.test-support.ts';
import { decideReap } from '../reap.ts';
import { decideFinishRestart, type FinishFacts } from './finish-restart.ts';
import { decidePrepareRestart, leaseWaitMs, type RestartFacts, type RestartStep } from './prepare-restart.ts';

const inPlace = (nodeId: string, over: object = {}) =>
  record(nodeId, { type: 'RESTART', reason: 'kernel [in place]', status: 'COMPLETE', shardsRemaining: 0, ...over });

const facts = (over: Partial<RestartFacts> = {}, context: Partial<RestartFacts['case']> = {}): RestartFacts => ({
  case: {
    nodeId: 'd1',
    reason: 'kernel',
    deadlineAt: now + 10 * minute,
    allowUnavailable: false,
    allowMissingReplicas: false,
    ...context,
  },
  history: { goodReadings: 1, flushedAt: undefined },
  health: health(),
  topology: topology(),
  records: [],
  voting: voting(),
  copies: [copy('logs', 'd1'), copy('logs', 'd2', { primary: false })],
  snapshots: [],
  leases: undefined,
  traffic: undefined,
  ...over,
});
const prepared = (over: Partial<RestartFacts> = {}) =>
  facts({
    records: [inPlace('d1')],
    history: { goodReadings: 5, flushedAt: now - 30_000 },
    leases: [{ index: 'logs', shard: 0, maxSeqNo: 1_000_000, behind: 3 }],
    ...over,
  });

const told = (step: RestartStep) =>
  step.kind === 'wait'
    ? `wait ${(step.actions ?? []).map(({ kind }) => kind).join()}`.trim()
    : step.outcome.kind === 'refused'
      ? `refused ${step.outcome.refusal.name}`
      : step.outcome.kind;

describe('a node that is to be stopped and gets requests from its load balancer', () => {
  const note = { since: now - minute, askedAt: now - minute };
  const reply = (awayAt: number | undefined) => ({ askedAt: now - minute, awayAt });

  it.each<[string, Partial<RestartFacts>, string]>([
    [
      'asks for none while the leases are waited for',
      { traffic: { note: undefined, reply: undefined }, history: { goodReadings: 5, flushedAt: undefined } },
      'wait ask-no-requests,flush',
    ],
    ['is not stopped while requests are open', { traffic: { note, reply: reply(now + 1) } }, 'wait'],
    ['is stopped when the last one has ended', { traffic: { note, reply: reply(now) } }, 'ready'],
    [
      'is stopped although its role may not ask',
      {
        traffic: { note, reply: undefined },
        history: { goodReadings: 5, flushedAt: now - 30_000, trafficRefused: 'AccessDenied' },
      },
      'ready',
    ],
    ['withdraws its restart when the cluster turns red', { health: health({ status: 'red' }) }, 'refused not-green'],
  ])('%s', (_, over, expected) => {
    expect(told(decidePrepareRestart(prepared(over), now))).toBe(expected);
  });
});

describe('whether a node may be stopped for a restart in place', () => {
  it.each<[string, RestartFacts, string]>([
    ['a second good reading registers the restart', facts(), 'wait register-restart'],
    ['one good reading is not enough', facts({ history: { goodReadings: 0, flushedAt: undefined } }), 'wait'],
    ['a snapshot is being taken, which would end PARTIAL', facts({ snapshots: ['hourly-1'] }), 'wait'],
    [
      'a snapshot is being taken, of which this node holds nothing',
      facts({ snapshots: ['hourly-1'], copies: [copy('logs', 'd2'), copy('logs', 'd3', { primary: false })] }),
      'wait register-restart',
    ],
    ['another node drains', facts({ records: [record('d2')] }), 'wait'],
    ['another node restarts in place', facts({ records: [inPlace('d2')] }), 'wait'],
    [
      'another node restarts in place and is down',
      facts({ records: [inPlace('d2')], topology: without('d2') }),
      'wait',
    ],
    [
      'a restart that was not finished for an hour is no lease',
      facts({ records: [inPlace('m1', { startedAt: now - restartDelayMs })] }),
      'wait register-restart',
    ],
    ['yellow is waited for', facts({ health: health({ status: 'yellow' }) }), 'wait'],
    [
      'yellow when the time is over is refused',
      facts({ health: health({ status: 'yellow' }) }, { deadlineAt: now }),
      'refused not-green',
    ],
    ['red is refused at once', facts({ health: health({ status: 'red' }) }), 'refused not-green'],
    [
      'missing replicas are accepted in a cluster of two versions',
      facts({ health: health({ status: 'yellow', unassignedShards: 1 }) }, { allowMissingReplicas: true }),
      'wait register-restart',
    ],
    [
      'missing replicas are not accepted while shards move',
      facts({ health: health({ status: 'yellow', initializingShards: 1 }) }, { allowMissingReplicas: true }),
      'wait',
    ],
    ['a shard without another copy is refused', facts({ copies: [copy('solo', 'd1')] }), 'refused no-copy-elsewhere'],
    [
      'a shard whose other copy initializes is refused',
      facts({ copies: [copy('logs', 'd1'), copy('logs', 'd2', { primary: false, state: 'INITIALIZING' })] }),
      'refused no-copy-elsewhere',
    ],
    [
      'a shard without another copy is accepted when that was asked for',
      facts({ copies: [copy('solo', 'd1')] }, { allowUnavailable: true }),
      'wait register-restart',
    ],
    [
      'a master while another is missing',
      facts({ topology: without('m3') }, { nodeId: 'm1' }),
      'refused quorum-at-risk',
    ],
    [
      'one of two masters, whose vote cannot move for a restart',
      facts({ topology: without('m3'), voting: voting({ committed: ['m1'] }) }, { nodeId: 'm1' }),
      'refused quorum-at-risk',
    ],
    ['a node that leaves is not restarted', facts({ records: [record('d1')] }), 'refused leaving'],
    [
      'a node whose drain was given up is not restarted',
      facts({ records: [record('d1', { reason: 'x [gave up: stalled]' })] }),
      'refused leaving',
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decidePrepareRestart(given, now))).toBe(expected);
  });

  it.each<[string, RestartFacts, string]>([
    [
      'a registered restart flushes first',
      prepared({ history: { goodReadings: 2, flushedAt: undefined } }),
      'wait flush',
    ],
    ['a node with current leases is ready', prepared(), 'ready'],
    [
      'leases that are behind are waited for',
      prepared({ leases: [{ index: 'logs', shard: 0, maxSeqNo: 1000, behind: 900 }] }),
      'wait',
    ],
    [
      'leases that stay behind end the wait',
      prepared({
        history: { goodReadings: 9, flushedAt: now - leaseWaitMs },
        leases: [{ index: 'logs', shard: 0, maxSeqNo: 1000, behind: undefined }],
      }),
      'ready',
    ],
    [
      'a copy that was lost meanwhile takes the record back',
      prepared({ copies: [copy('logs', 'd1')] }),
      'refused no-copy-elsewhere',
    ],
    [
      'of two that registered at the same time the later takes its record back',
      prepared({ records: [inPlace('d1'), inPlace('d0', { startedAt: now - 2 * minute })] }),
      'wait withdraw-restart',
    ],
  ])('%s', (_title, given, expected) => {
    const step = decidePrepareRestart(given, now);
    expect(told(step)).toBe(expected);
    if (expected.startsWith('refused')) expect(step.actions).toMatchObject([{ kind: 'withdraw-restart' }]);
  });
});

describe('whether a restarted node is back', () => {
  const identity = { nodeId: 'd1', clusterUuid: 'uuid-1', version: '8.19.21' };
  const back = (over: Partial<FinishFacts> = {}): FinishFacts => ({
    before: identity,
    now: identity,
    joined: true,
    records: [],
    health: health(),
    allowMissingReplicas: false,
    goodReadings: 1,
    ...over,
  });
  const toldEnd = (given: FinishFacts) => {
    const step = decideFinishRestart(given);
    if (step.kind === 'wait') return `wait ${(step.actions ?? []).map(({ kind }) => kind).join()}`.trim();
    return step.outcome.kind === 'refused' ? `refused ${step.outcome.refusal.name}` : step.outcome.kind;
  };

  it.each<[string, FinishFacts, string]>([
    ['a node that is back twice in a green cluster is finished', back(), 'finished'],
    ['a node that was seen back once is read again', back({ goodReadings: 0 }), 'wait'],
    ['a node that has not joined is waited for', back({ joined: false }), 'wait'],
    ['the record goes as soon as the node is back', back({ records: [inPlace('d1')] }), 'wait delete-record'],
    ['a record of another node stays', back({ records: [record('d1', { type: 'RESTART' })] }), 'finished'],
    ['a cluster that recovers is waited for', back({ health: health({ status: 'yellow' }) }), 'wait'],
    [
      'missing replicas are not waited for in a cluster of two versions',
      back({ health: health({ status: 'yellow' }), allowMissingReplicas: true }),
      'finished',
    ],
    ['another node id is refused', back({ now: { ...identity, nodeId: 'd9' } }), 'refused other-node'],
    ['another cluster is refused', back({ now: { ...identity, clusterUuid: 'uuid-2' } }), 'refused other-cluster'],
    ['an older version is refused', back({ now: { ...identity, version: '8.9.0' } }), 'refused older-version'],
    ['a newer version is what was wanted', back({ now: { ...identity, version: '9.5.3' } }), 'finished'],
  ])('%s', (_title, given, expected) => {
    expect(toldEnd(given)).toBe(expected);
  });
});

describe('a restart in place beside other commands', () => {
  it('a drain waits for a restart in place, and relaxes nothing', () => {
    expect(checkBefore(before({ records: [inPlace('d2')] }), now)).toMatchObject({ kind: 'wait' });
    const yellow = before({ records: [inPlace('d2')], health: health({ status: 'yellow', unassignedShards: 1 }) });
    expect(checkBefore(yellow, now)).toMatchObject({ kind: 'refusal', name: 'not-green' });
  });

  it('reap deletes the record of a restart that was not finished within the hour', () => {
    const reap = (over: object, status: 'green' | 'yellow' = 'green') =>
      decideReap(
        {
          topology: topology(),
          health: health({ status }),
          records: [inPlace('d1', over)],
          voting: voting(),
          instances: undefined,
          impairedSince: new Map(),
          lastTerminationAt: undefined,
        },
        now,
      ).map(({ kind }) => kind);
    expect(reap({})).toEqual([]);
    expect(reap({ startedAt: now - 2 * hour })).toEqual(['delete-record']);
    expect(reap({ startedAt: now - 2 * hour, nodeId: 'gone' })).toEqual(['delete-record']);
    expect(reap({ startedAt: now - 2 * hour, nodeId: 'gone' }, 'yellow')).toEqual(['report']);
  });
});

import { restartTag, trafficTag } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import type { GroupInstance } from '../../model/lifecycle.ts';
import { replyIn, replyText, restartMark, restartOver, type TrafficFacts } from '../../model/traffic.ts';
import { hour, minute, now } from '../facts.test-support.ts';
import { askAgainMs, decideOwnTraffic, trafficWaitMs } from './own-traffic.ts';
import { decideTargets, type TargetAction } from './targets.ts';

const awayAt = now + minute;
const asked = (ago = 0) => ({ [restartTag]: restartMark(now - ago) });
const replied = (away: number | undefined) => ({ [trafficTag]: replyText({ askedAt: now, awayAt: away }) });

const node = (
  instanceId: string,
  tags: GroupInstance['tags'] = {},
  more: Partial<GroupInstance> = {},
): GroupInstance => ({
  instanceId,
  groupName: 'logs-data',
  lifecycleState: 'InService',
  privateIp: '10.0.0.1',
  tags,
  ...more,
});
const group = (states: Readonly<Record<string, string>>, groupName = 'logs-data') => ({
  groupName,
  arn: `targets/${groupName}`,
  targets: Object.entries(states).map(([instanceId, state]) => ({ instanceId, state })),
});
const well = { a: 'healthy', b: 'healthy', c: 'healthy' };

const told = (action: TargetAction) =>
  action.kind === 'reply'
    ? `${action.instanceId} ${action.reply.awayAt === undefined ? 'kept' : 'away'}`
    : `${action.kind.split('-')[0]} ${action.instanceId}`;
const decided = (instances: readonly GroupInstance[], ...groups: readonly ReturnType<typeof group>[]) =>
  decideTargets({ instances, targetGroups: groups }, now).map(told);

describe('which nodes are targets of their load balancer', () => {
  it.each<[string, readonly GroupInstance[], Readonly<Record<string, string>>, readonly string[]]>([
    ['nothing is asked and all are targets', [node('a'), node('b'), node('c')], well, []],
    ['a node in service that is no target is registered', [node('a'), node('b')], { a: 'healthy' }, ['register b']],
    [
      'a node whose restart is over is registered while it still drains',
      [node('a', { [restartTag]: restartOver }), node('b')],
      { a: 'draining', b: 'healthy' },
      ['register a'],
    ],
    ['one that restarts is deregistered', [node('a', asked()), node('b'), node('c')], well, ['deregister a']],
    [
      'one that is out already gets that reply',
      [node('a', asked()), node('b')],
      { a: 'draining', b: 'healthy' },
      ['a away'],
    ],
    [
      'one that has its reply is left alone',
      [node('a', { ...asked(), ...replied(awayAt) }), node('b')],
      { b: 'healthy' },
      [],
    ],
    [
      'one that asks again gets a reply again',
      [node('a', { [restartTag]: restartMark(now - 1), ...replied(awayAt) }), node('b')],
      { b: 'healthy' },
      ['a away'],
    ],
    [
      'one that has its reply and is a target again is deregistered once more',
      [node('a', { ...asked(), ...replied(awayAt) }), node('b')],
      well,
      ['deregister a'],
    ],
    [
      'the last healthy target stays one',
      [node('a', asked()), node('b')],
      { a: 'healthy', b: 'unhealthy' },
      ['a kept'],
    ],
    ['the only target stays one', [node('a', asked())], { a: 'healthy' }, ['a kept']],
    [
      'the reply that it stays one comes once',
      [node('a', { ...asked(), ...replied(undefined) })],
      { a: 'healthy' },
      [],
    ],
    [
      'another target that is checked for the first time is waited for',
      [node('a', asked()), node('b')],
      { a: 'healthy', b: 'initial' },
      [],
    ],
    [
      'another node that is registered by this pass is waited for',
      [node('a', asked()), node('b')],
      { a: 'healthy' },
      ['register b'],
    ],
    [
      'of two that ask the first is deregistered',
      [node('a', asked(1000)), node('b', asked(2000)), node('c')],
      well,
      ['deregister b'],
    ],
    [
      'while one is out no other one is deregistered, although it asked first',
      [node('a', { ...asked(2000) }), node('b', { ...asked(), ...replied(awayAt) }), node('c')],
      { a: 'healthy', c: 'healthy' },
      [],
    ],
    [
      'what was asked an hour ago is void: the node is registered again',
      [node('a', asked(hour)), node('b')],
      { b: 'healthy' },
      ['register a'],
    ],
    [
      'a node that is not in service, or whose machine has ended, is left alone',
      [
        node('a', {}, { lifecycleState: 'Terminating:Wait' }),
        node('b', {}, { terminated: true }),
        node('c', asked(), { lifecycleState: 'Standby' }),
      ],
      {},
      [],
    ],
  ])('%s', (_, instances, targets, expected) => {
    expect(decided(instances, group(targets))).toEqual(expected);
  });

  it('a node is judged by the targets of its own group, and nothing is done where they could not be read', () => {
    const masters = group({ m: 'healthy', n: 'healthy' }, 'logs');
    const data = [node('a', asked()), node('b')];

    expect(decided([...data, node('m', {}, { groupName: 'logs' })], masters, group({ a: 'healthy' }))).toEqual([
      'register b',
    ]);
    expect(decideTargets({ instances: data, targetGroups: undefined }, now)).toEqual([]);
  });

  it('the time at which a node has no request any more is that of the deregistration delay', () => {
    const [action] = decideTargets({ instances: [node('a', asked()), node('b')], targetGroups: [group(well)] }, now);

    expect(action).toEqual({
      kind: 'deregister-target',
      instanceId: 'a',
      targetGroups: ['targets/logs-data'],
      reply: { askedAt: now, awayAt },
    });
    expect(replyIn(replyText({ askedAt: now, awayAt }))).toEqual({ askedAt: now, awayAt });
    expect([undefined, '', 'x kept', `${restartMark(now)} away`].map(replyIn)).toEqual(Array(4).fill(undefined));
  });
});

describe('whether a node that is to be stopped still gets requests', () => {
  const note = (ago: number, lastAgo = ago) => ({ since: now - ago, askedAt: now - lastAgo });
  const reply = (ago: number, away: number | undefined) => ({ askedAt: now - ago, awayAt: away });

  it.each<[string, TrafficFacts, string]>([
    ['it asks first', { note: undefined, reply: undefined }, 'wait ask'],
    ['a reply to an earlier restart counts for nothing', { note: undefined, reply: reply(minute, now) }, 'wait ask'],
    ['a note of a restart that is void counts for nothing', { note: note(hour), reply: reply(0, now) }, 'wait ask'],
    ['it waits for the reply', { note: note(1000), reply: reply(minute, now) }, 'wait'],
    ['without a reply it asks again', { note: note(askAgainMs), reply: undefined }, 'wait ask'],
    ['open requests are waited for', { note: note(minute), reply: reply(minute, now + 1) }, 'wait'],
    ['it is free when they have ended', { note: note(minute), reply: reply(minute, now) }, 'free'],
    [
      'a reply to an earlier question of this restart counts',
      { note: note(minute, 0), reply: reply(minute, now) },
      'free',
    ],
    [
      'the last healthy target is stopped with a warning',
      { note: note(1000), reply: reply(0, undefined) },
      'free, warned',
    ],
    [
      'a function that never replies delays it only',
      { note: note(trafficWaitMs, 0), reply: undefined },
      'free, warned',
    ],
  ])('%s', (_, facts, expected) => {
    const step = decideOwnTraffic(facts, now);
    const shown =
      step.kind === 'wait'
        ? `wait${step.ask === undefined ? '' : ' ask'}`
        : `free${step.warning === undefined ? '' : ', warned'}`;
    expect(shown).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import type { GroupMember } from '../../model/lifecycle.ts';
import type { GroupFrame, SpreadNote } from '../../model/spread.ts';
import { minute, now } from '../facts.test-support.ts';
import { concernsSpread, decideSpread, type SpreadFacts } from './spread-masters.ts';

const group = (over: Partial<GroupFrame> = {}): GroupFrame => ({
  groupName: 'logs',
  minSize: 3,
  maxSize: 4,
  desired: 3,
  zones: ['a', 'b', 'c'],
  suspended: [],
  members: [],
  ...over,
});
/** `b1` is the first master in zone b. */
const master = (instanceId: string, lifecycleState = 'InService'): GroupMember => ({
  instanceId,
  lifecycleState,
  zone: instanceId[0]!,
  groupName: 'logs',
});
const note = (over: Partial<SpreadNote> = {}): SpreadNote => ({
  startedAt: now - 6 * minute,
  zones: ['a'],
  masters: 3,
  instances: ['b1', 'b2', 'c1'],
  ...over,
});
const ended = (outcome: NonNullable<SpreadNote['ended']>['outcome'], minutesAgo: number) =>
  note({ startedAt: now - 120 * minute, ended: { at: now - minutesAgo * minute, outcome } });
const crowded = [master('b1'), master('b2'), master('c1')];
type Change = Partial<SpreadFacts> & { readonly masters?: readonly GroupMember[] };
const facts = ({ masters = crowded, group: frame = group(), ...over }: Change = {}): SpreadFacts => ({
  group: { ...frame, members: masters },
  note: undefined,
  elected: 'b1',
  obstacles: [],
  ...over,
});
/** The steps, their subjects, and how they ended. */
const told = (over: Change) => {
  const step = decideSpread(facts(over), now);
  const of = 'instance' in step ? [step.instance.instanceId] : [];
  return [step.kind, ...of, ...('note' in step && step.note.ended !== undefined ? [step.note.ended.outcome] : [])];
};

describe('masters that stand too close', () => {
  it('two of three masters in one zone: the group gets one more, noted with the zone that has none', () => {
    expect(decideSpread(facts(), now)).toEqual({
      kind: 'begin',
      note: { startedAt: now, zones: ['a'], masters: 3, instances: ['b1', 'b2', 'c1'] },
    });
  });

  it.each([
    ['are one in each zone', { masters: [master('a1'), master('b1'), master('c1')] }, ['none']],
    ['have two zones and three masters', { group: group({ zones: ['b', 'c'] }) }, ['none']],
    ['are not alone in progress', { obstacles: ['the cluster is yellow'] }, ['wait']],
    ['belong to a group that an operator has enlarged', { group: group({ desired: 4 }) }, ['wait']],
    ['belong to a group without room', { group: group({ maxSize: 3 }) }, ['wait']],
    ['were tried fourteen minutes ago', { note: ended('no-capacity', 14) }, ['wait']],
    ['were tried fifteen minutes ago', { note: ended('no-capacity', 15) }, ['begin']],
    ['got a newcomer that did not boot half an hour ago', { note: ended('not-serving', 30) }, ['wait']],
    ['were spread a minute ago, and one zone is still short', { note: ended('spread', 1) }, ['begin']],
    [
      'wait for one that is leaving',
      { masters: [...crowded.slice(1), master('b1', 'Terminating:Wait'), master('a1')] },
      ['none'],
    ],
  ] as const)('masters that %s', (_, over, expected) => {
    expect(told(over)).toEqual(expected);
  });

  it('two of five masters in each of two zones and one in the third stay where they are, and nothing else is read', () => {
    const masters = ['a1', 'a2', 'b1', 'b2', 'c1'].map((id) => master(id));

    expect(concernsSpread(facts({ group: group({ minSize: 5, desired: 5, maxSize: 6 }), masters }))).toBe(false);
  });
});

describe('an attempt under way', () => {
  const four = group({ desired: 4 });
  it.each([
    ['waits while nothing was launched', { masters: crowded }, ['wait']],
    [
      'is given up when nothing was launched for ten minutes',
      { masters: crowded, note: note({ startedAt: now - 10 * minute }) },
      ['lower', 'not-launched'],
    ],
    ['waits for a newcomer that boots', { masters: [...crowded, master('a1', 'Pending:Wait')] }, ['wait']],
    [
      'ends a newcomer that does not serve within the hour',
      { masters: [...crowded, master('a1', 'Pending:Wait')], note: note({ startedAt: now - 60 * minute }) },
      ['end-instance', 'a1', 'not-serving'],
    ],
    [
      'ends a newcomer in another zone at once, whatever else goes on',
      { masters: [...crowded, master('c2', 'Pending')], obstacles: ['the cluster is red'] },
      ['end-instance', 'c2', 'no-capacity'],
    ],
    [
      'ends a master of the crowded zone, and not the elected one',
      { masters: [...crowded, master('a1')] },
      ['end-instance', 'b2', 'spread'],
    ],
    [
      'waits with that until nothing else goes on',
      { masters: [...crowded, master('a1')], obstacles: ['a drain'] },
      ['wait'],
    ],
    [
      'keeps the newcomer when a master of the crowded zone has died meanwhile',
      { masters: [...crowded.slice(1), master('a1')], note: note({ startedAt: now - 10 * minute }) },
      ['lower', 'spread'],
    ],
    [
      'is over when the capacity was lowered, the masters being spread',
      { group: group(), masters: [master('a1'), master('b1'), master('c1')] },
      ['close', 'spread'],
    ],
    ['is over when the capacity was never raised', { group: group() }, ['close', 'undone']],
    [
      'waits a moment for the capacity to be raised',
      { group: group(), note: note({ startedAt: now - 4 * minute }) },
      ['wait'],
    ],
    [
      'is left to the operator who has changed the sizes',
      { group: group({ minSize: 5, desired: 5 }) },
      ['close', 'overtaken'],
    ],
  ] as const)('an attempt to spread the masters %s', (_, over, expected) => {
    expect(told({ group: four, note: note(), ...over })).toEqual(expected);
  });
});

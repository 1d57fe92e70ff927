import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory } from '../../model/memory.ts';
import { awake, restAfterMs, settleRest } from './decide-rest.ts';

const now = 10_000_000;
const resting: Memory = { ...emptyMemory, jobs: { sessionId: 'one' } };
const long = now - restAfterMs;

describe('the rest of a type', () => {
  it.each([
    ['the first quiet window announces it', {}, {}, { restsSince: now }],
    [
      'a later one leaves the announcement',
      { restsSince: long + 1 },
      { restsSince: long + 1 },
      { restsSince: long + 1 },
    ],
    [
      'after a quarter of an hour the memory is copied',
      { restsSince: long },
      { restsSince: long },
      { restsSince: long, resting },
    ],
    [
      'an announcement that was taken out during the window starts again',
      { restsSince: long },
      {},
      { restsSince: now },
    ],
    [
      'the announcement of another window is not this one’s',
      { restsSince: long - 1 },
      { restsSince: long },
      { restsSince: long },
    ],
  ])('%s', (_, opened, stored, expected) => {
    const types = { large: { since: 1, ...opened, resting } };

    expect(settleRest(types, { large: { since: 1, ...stored } }, now)).toEqual({ large: { since: 1, ...expected } });
  });

  it.each([
    ['a window in which the type was not quiet', { resting: undefined }],
    ['a group that is missing', { resting, missingSince: now }],
  ])('%s ends it', (_, found) => {
    const stored = { large: { since: 1, restsSince: long, resting } };
    const { resting: _copy, ...expected } = found;

    expect(settleRest({ large: { since: 1, restsSince: long, ...found } }, stored, now)).toEqual({
      large: { since: 1, ...expected },
    });
  });

  it('a type that wakes takes no other with it', () => {
    const small = { since: 2, restsSince: long, resting };
    const state = { ...emptyMemory, types: { large: { since: 1, restsSince: long, resting }, small } };

    expect(awake(state, 'large').types).toEqual({ large: { since: 1 }, small });
    expect(awake(state, 'gone')).toEqual(state);
  });
});

import { describe, expect, it } from 'vitest';
import { sameParts } from './same-parts.ts';

const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('sameParts', () => {
  it('sameParts keeps the old object for every part that did not change, so that only changes are rendered', () => {
    const before = { clock: { now: 1 }, nodes: [{ shards: [{ number: 0 }, { number: 1 }] }, { shards: [] }] };
    const after = sameParts(before, parsed({ ...before, clock: { now: 2 } }));
    expect(after).toEqual({ ...before, clock: { now: 2 } });
    expect(after).not.toBe(before);
    expect(after.nodes).toBe(before.nodes);
    const moved = parsed(before);
    moved.nodes[0]!.shards[1]!.number = 7;
    const next = sameParts(before, moved);
    expect(next.nodes[0]).toEqual({ shards: [{ number: 0 }, { number: 7 }] });
    expect(next.nodes[0]!.shards[0]).toBe(before.nodes[0]!.shards[0]);
    expect(next.nodes[1]).toBe(before.nodes[1]);
    expect(sameParts(before, parsed(before))).toBe(before);
  });

  it.each([
    ['a field that is new', { a: 1 }, { a: 1, b: 2 }],
    ['a field that is gone', { a: 1, b: 2 }, { a: 1 }],
    ['a longer list', { a: [1] }, { a: [1, 2] }],
    ['a shorter list', { a: [1, 2] }, { a: [1] }],
    ['null for an object', { a: { b: 1 } }, { a: null }],
    ['an object for null', { a: null }, { a: { b: 1 } }],
    ['a list for an object', { a: {} }, { a: [] }],
  ])('sameParts detects %s', (_, before: object, after: object) => {
    expect(sameParts(before, parsed(after))).toEqual(after);
    expect(sameParts(before, parsed(after))).not.toBe(before);
  });
});

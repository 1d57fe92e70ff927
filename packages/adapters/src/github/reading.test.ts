import { describe, expect, it } from 'vitest';
import { list, number, object, optional, text, truth, UnexpectedValue } from './reading.ts';

const shape = object({ id: number, labels: list(object({ name: text })), busy: optional(truth) });

describe('reading a response of the platform', () => {
  it('keeps what the shape names and ignores the rest', () => {
    expect(shape({ id: 1, labels: [{ name: 'a', type: 'custom' }], more: true }, '')).toEqual({
      id: 1,
      labels: [{ name: 'a' }],
      busy: undefined,
    });
    expect(shape({ id: 1, labels: [], busy: null }, '').busy).toBeUndefined();
  });

  it.each([
    ['a member of the wrong type', { id: '1', labels: [] }, 'id is "1", not a number'],
    ['a member that is missing', { labels: [] }, 'id is missing, not a number'],
    ['a number that is none', { id: Number.NaN, labels: [] }, 'id is null, not a number'],
    ['an item of a list', { id: 1, labels: [{ name: 'a' }, {}] }, 'labels[1].name is missing, not a text'],
    ['an object instead of a list', { id: 1, labels: {} }, 'labels is {}, not a list'],
    ['an optional member of the wrong type', { id: 1, labels: [], busy: 'no' }, 'busy is "no", not true or false'],
    ['something else as a whole', 'x', 'the response is "x", not an object'],
  ])('names place, value and expectation: %s', (_, value, message) => {
    expect(() => shape(value, '')).toThrow(new UnexpectedValue(message));
  });
});

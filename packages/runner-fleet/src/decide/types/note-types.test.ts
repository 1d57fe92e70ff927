import { describe, expect, it } from 'vitest';
import { noteTypes, removedAfterMs } from './note-types.ts';

const now = 10_000_000;

describe('what a window notes of the types', () => {
  it('a type whose group is found for the first time is known from then on', () => {
    expect(noteTypes(undefined, ['large'], now)).toEqual({ types: { large: { since: now } }, removed: [] });
  });

  it('a type that is known keeps what is known of it', () => {
    const large = { since: 1, statisticsAt: 5, lookedAt: 6 };

    expect(noteTypes({ large }, ['large'], now).types).toEqual({ large });
  });

  it('a type whose group is missing in one reading is neither forgotten nor removed', () => {
    const { types, removed } = noteTypes({ large: { since: 1 } }, [], now);

    expect(types).toEqual({ large: { since: 1, missingSince: now } });
    expect(removed).toEqual([]);
    expect(noteTypes(types, ['large'], now + 60_000).types).toEqual({ large: { since: 1 } });
  });

  it('a type whose group has been missing for five minutes was removed', () => {
    const types = { large: { since: 1, missingSince: now }, arm: { since: 1 } };

    expect(noteTypes(types, ['arm'], now + removedAfterMs - 1).removed).toEqual([]);
    expect(noteTypes(types, ['arm'], now + removedAfterMs).removed).toEqual(['large']);
  });
});

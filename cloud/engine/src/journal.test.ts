import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { Journal } from './journal.ts';

const record = (journal: Journal, name: string) => journal.record({ kind: 'note', source: 'test', name });

describe('Journal', () => {
  it('numbers entries and gives them the time of the clock', async () => {
    const clock = new VirtualClock(1_000);
    const journal = new Journal(clock);
    record(journal, 'first');
    await clock.advance(500);
    record(journal, 'second');

    expect(journal.entries).toEqual([
      { seq: 0, at: 1_000, kind: 'note', source: 'test', name: 'first' },
      { seq: 1, at: 1_500, kind: 'note', source: 'test', name: 'second' },
    ]);
  });

  it('keeps the newest entries and counts all of them', () => {
    const journal = new Journal(new VirtualClock(), 4);
    for (let index = 0; index < 6; index++) record(journal, String(index));

    expect(journal.entries.map(({ name }) => name)).toEqual(['2', '3', '4', '5']);
    expect(journal.length).toBe(6);
  });

  it('a journal has equal digests for equal histories only, also of what it no longer keeps', () => {
    const digest = (...names: string[]) => {
      const journal = new Journal(new VirtualClock(), 2);
      for (const name of names) record(journal, name);
      return journal.digest;
    };

    expect(digest('a', 'x', 'x', 'x')).toBe(digest('a', 'x', 'x', 'x'));
    expect(digest('a', 'x', 'x', 'x')).not.toBe(digest('b', 'x', 'x', 'x'));
  });

  it('notifies a subscriber of each new entry until it unsubscribes', () => {
    const journal = new Journal(new VirtualClock());
    const seen: string[] = [];
    record(journal, 'before');
    const unsubscribe = journal.subscribe(({ name }, text) => seen.push(name, JSON.parse(text).name));
    record(journal, 'while');
    unsubscribe();
    record(journal, 'after');

    expect(seen).toEqual(['while', 'while']);
  });
});

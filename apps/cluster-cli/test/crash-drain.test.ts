import { expect, it } from 'vitest';
import { crashEverywhere } from './support/crash.ts';
import { drainStories } from './support/crash-stories.ts';

it.each(Object.entries(drainStories))(
  'the drain of %s may die at every call it makes: the next scheduled run finishes it',
  { timeout: 600_000 },
  async (title, story) => {
    const { calls, failures } = await crashEverywhere(`drain of ${title}`, story);

    expect(failures).toEqual([]);
    expect(calls.length).toBeGreaterThan(20);
  },
);

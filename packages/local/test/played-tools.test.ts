import { expect, it } from 'vitest';
import { playTools } from './played-tools.ts';

it('every promise holds for a user who uses the tools of the page at random, and a replay takes the same course', async () => {
  const { violations, told, jobs } = await playTools({ seed: 3, hours: 0.5 });

  expect(violations, told.join('\n')).toEqual([]);
  expect(jobs.completed).toBeGreaterThan(0);
}, 300_000);

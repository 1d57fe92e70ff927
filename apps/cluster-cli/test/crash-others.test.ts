import { expect, it } from 'vitest';
import { crashEverywhere } from './support/crash.ts';
import { otherStories } from './support/crash-stories.ts';

it('a commission may die at every call: its hook abandons the node, which drains, and the next one settles', {
  timeout: 600_000,
}, async () => {
  const { cases, calls, failures } = await crashEverywhere('commission', otherStories.commission);

  expect(failures).toEqual([]);
  expect(calls.length).toBeGreaterThan(15);
  expect(cases).toBe(calls.length);
});

it('reap may die at every call: the next one clears what is left', { timeout: 600_000 }, async () => {
  const { cases, calls, failures } = await crashEverywhere('reap', otherStories.reap);

  expect(failures).toEqual([]);
  expect(calls.length).toBeGreaterThan(10);
  expect(cases).toBe(calls.length);
  expect(calls).toContain('PutMetricData');
});

it.each(['elastic', 'kibana_system'] as const)(
  'passwd of %s may die at every call: one of two versions works, and the next run converges',
  { timeout: 600_000 },
  async (username) => {
    const { cases, calls, failures } = await crashEverywhere(
      `passwd of ${username}`,
      otherStories[`passwd of ${username}`],
    );

    expect(failures).toEqual([]);
    expect(calls.length).toBeGreaterThan(6);
    expect(cases).toBe(calls.length);
  },
);

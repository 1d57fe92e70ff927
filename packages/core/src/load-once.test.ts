import { expect, it } from 'vitest';
import { loadOnce } from './load-once.ts';

it('loadOnce loads at the first call, and once for calls at the same time', async () => {
  let count = 0;
  const load = loadOnce(async () => ++count);
  expect(count).toBe(0);

  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

it('loadOnce tries again after a failure', async () => {
  let count = 0;
  const load = loadOnce(async () => {
    if (++count === 1) throw new Error('not yet');
    return count;
  });

  await expect(load()).rejects.toThrow('not yet');
  expect(await load()).toBe(2);
});

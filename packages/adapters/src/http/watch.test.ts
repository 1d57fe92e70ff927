import { setImmediate } from 'node:timers/promises';
import { VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { Watch } from './watch.ts';

it('a request that fails after its command was interrupted ends nothing but itself', async () => {
  const interrupted = new Error('interrupted');
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const watch = new Watch(new VirtualClock(), 1_000, AbortSignal.abort(interrupted));

  await expect(watch.over(Promise.reject(new Error('connect ECONNREFUSED')))).rejects.toBe(interrupted);
  await setImmediate();

  watch.end();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

import { SeededRandom, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { retriesOn } from './sdk-retries.ts';

/** The moments of the tries of a call that always fails in this way. */
async function tries(errorType: string, seed: number): Promise<readonly number[]> {
  const clock = new VirtualClock(0);
  const retries = retriesOn(clock, new SeededRandom(seed));
  const moments = [0];
  const failing = async () => {
    for (let token = await retries.acquireInitialRetryToken(); ; moments.push(clock.now()))
      token = await retries.refreshRetryTokenForRetry(token, { errorType });
  };
  const ended = failing().catch(() => {});
  await clock.advance(60_000);
  await ended;
  return moments;
}

it('a client of the SDK in a world tries a call three times, at moments that the seed decides', async () => {
  const [, second, third] = await tries('TRANSIENT', 1);
  expect(second).toBeGreaterThan(0);
  expect(second).toBeLessThan(100);
  expect(third! - second!).toBeLessThan(200);
  expect(await tries('TRANSIENT', 1)).toEqual([0, second, third]);
  expect(await tries('TRANSIENT', 2)).not.toEqual([0, second, third]);
  expect(await tries('THROTTLING', 1)).toHaveLength(3);
});

it('a client of the SDK in a world does not try a call again that was refused', async () => {
  expect(await tries('CLIENT_ERROR', 1)).toEqual([0]);
});

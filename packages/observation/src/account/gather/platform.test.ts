import { PlatformStatusError } from '@drover/adapters/github';
import { TransientError } from '@drover/core';
import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import { expect, it } from 'vitest';
import { platformReadings } from './platform.ts';

it.each<[string, Error, 'down' | 'rate-limited' | 'up']>([
  ['does not respond', new TransientError('no response'), 'down'],
  ['returns 502', new TransientError('returned 502'), 'down'],
  ['is over its rate limit', new TransientError('returned 403', { retryAfterMs: 60_000 }), 'rate-limited'],
  ['refuses for a missing right', new PlatformStatusError('returned 403', 403, 'missing-right'), 'up'],
  ['refuses the credentials', new PlatformStatusError('returned 401', 401, 'bad-credentials'), 'up'],
])('GitHub of an account that %s is shown so', async (_, error, shown) => {
  const list = () => Promise.reject(error);
  const { sources, state } = platformReadings({ ports: { runners: { list } } } as unknown as OpenFleet);
  await expect(sources[0]!.read()).rejects.toBe(error);
  const { down, rateLimited } = state();
  expect(down ? 'down' : rateLimited ? 'rate-limited' : 'up').toBe(shown);
});

import type { Clock, Random } from '@drover/core';

const mostAttempts = 3;
const longestMs = 20_000;
const baseMs = { TRANSIENT: 100, THROTTLING: 500 } as const;

/** A token of the SDK: the try that it is for. */
interface RetryToken {
  getRetryCount(): number;
  getRetryDelay(): number;
}

const tokenOf = (retries: number): RetryToken => ({ getRetryCount: () => retries, getRetryDelay: () => 0 });

/**
 * The standard mode of the SDK ("Retry behavior", AWS SDKs and Tools Reference Guide) in the time and with the chance of a world: the
 * SDK's own waits in real time for as long as real chance says, and no play of a world with faults would be like another.
 */
export const retriesOn = (clock: Clock, random: Random) => ({
  acquireInitialRetryToken: async () => tokenOf(0),
  async refreshRetryTokenForRetry(
    token: RetryToken,
    { errorType }: { readonly errorType: string },
  ): Promise<RetryToken> {
    const retries = token.getRetryCount();
    if (!(errorType in baseMs) || retries + 1 >= mostAttempts) throw new Error('no further try');
    const fullMs = baseMs[errorType as keyof typeof baseMs] * 2 ** retries;
    await clock.sleep(Math.floor(random.next() * Math.min(fullMs, longestMs)));
    return tokenOf(retries + 1);
  },
  recordSuccess() {},
});

import { type PlatformClient, PlatformStatusError } from './client.ts';
import { number, object, optional } from './reading.ts';

/** One budget of the token or app. */
export interface LimitStatus {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetAt: number;
}

export interface RateLimitStatus {
  readonly core: LimitStatus;
  /** For runners that register. */
  readonly runnerRegistration: LimitStatus | undefined;
}

const limit = object({ limit: number, used: number, remaining: number, reset: number });
const shape = object({ resources: object({ core: limit, actions_runner_registration: optional(limit) }) });

/**
 * Remaining requests of each limit; this request itself is free. Undefined: an Enterprise Server on which limits are
 * turned off.
 */
export async function rateLimit(client: PlatformClient): Promise<RateLimitStatus | undefined> {
  try {
    const { resources } = (await client.call('GET /rate_limit', shape)).data;
    const registration = resources.actions_runner_registration;
    return {
      core: toStatus(resources.core),
      runnerRegistration: registration === undefined ? undefined : toStatus(registration),
    };
  } catch (error) {
    const off = error instanceof PlatformStatusError && error.status === 404 && /not enabled/i.test(error.message);
    if (off) return undefined;
    throw error;
  }
}

const toStatus = ({ reset, ...rest }: ReturnType<typeof limit>): LimitStatus => ({ ...rest, resetAt: reset * 1000 });

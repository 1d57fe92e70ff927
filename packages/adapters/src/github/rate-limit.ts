import { instead } from '../instead.ts';
import type { PlatformClient } from './client.ts';
import { hasStatus } from './failures.ts';
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
  const asked = client.call('GET /rate_limit', shape);
  const found = await asked.catch(instead(hasStatus(404, /not enabled/i), undefined));
  if (found === undefined) return undefined;
  const { core, actions_runner_registration: registration } = found.data.resources;
  return { core: toStatus(core), runnerRegistration: registration && toStatus(registration) };
}

const toStatus = ({ reset, ...rest }: ReturnType<typeof limit>): LimitStatus => ({ ...rest, resetAt: reset * 1000 });

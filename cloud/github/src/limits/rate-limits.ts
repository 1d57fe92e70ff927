import type { Clock } from '@drover/core';
import { GitHubError } from '../http/responses.ts';

/** docs.github.com, "REST API endpoints for rate limits": what is counted apart from each other. */
export type LimitResource = 'core' | 'actions_runner_registration';

export interface RateLimitOptions {
  /**
   * Requests an hour for each token or installation (docs.github.com, "Rate limits for the REST API").
   * @default 5000; none on an Enterprise Server, where limits are off unless an administrator turns them on
   */
  readonly perHour?: number;
  /** Runners an hour that may be registered by `config.sh` (actions/runner issue 1339). @default 10000 */
  readonly registrationsPerHour?: number;
}

interface Window {
  used: number;
  readonly resetAt: number;
}

/** Requests without a credential are counted by address; here all of them together. */
export const anonymousAccount = 'one address';
/** docs.github.com, "Rate limits for the REST API": unauthenticated users. */
const anonymousPerHour = 60;

const hourMs = 3_600_000;
const page = 'rest/using-the-rest-api/rate-limits-for-the-rest-api';

/** Primary limits by account. A refused request costs nothing more; an authorised 304 does not count. */
export class RateLimits {
  /** Off on an Enterprise Server unless a limit is given. */
  readonly enabled: boolean;
  readonly #clock: Clock;
  readonly #limits: Readonly<Record<LimitResource, number>>;
  #windows = new Map<string, Window>();
  #exhaustedUntil = 0;

  constructor(clock: Clock, options: RateLimitOptions & { readonly enterprise?: boolean } = {}) {
    this.#clock = clock;
    this.enabled = options.enterprise !== true || options.perHour !== undefined;
    this.#limits = {
      core: options.perHour ?? 5000,
      actions_runner_registration: options.registrationsPerHour ?? 10_000,
    };
  }

  /** For operators and tests: every account's budget is used up until then. */
  exhaustUntil(at: number): void {
    this.#exhaustedUntil = at;
  }

  /**
   * Throws when the account has used its hour up: 403 or 429 with `x-ratelimit-remaining: 0` (docs.github.com, "Rate
   * limits for the REST API": Exceeding the rate limit). Which of the two comes is not documented.
   */
  admit(account: string, resource: LimitResource, status: 403 | 429): void {
    if (!this.enabled || this.#remaining(account, resource) > 0) return;
    const headers = this.headers(account, resource);
    throw new GitHubError(status, `API rate limit exceeded for ${account}.`, { headers, page, overLimit: true });
  }

  count(account: string, resource: LimitResource): void {
    this.#window(account, resource).used += 1;
  }

  /** Requests that counted in the present hour. */
  used(account: string, resource: LimitResource = 'core'): number {
    return this.#window(account, resource).used;
  }

  headers(account: string, resource: LimitResource): Record<string, string> {
    if (!this.enabled) return {};
    const { limit, remaining, reset, used } = this.status(account, resource);
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(reset),
      'x-ratelimit-used': String(used),
      'x-ratelimit-resource': resource,
    };
  }

  status(account: string, resource: LimitResource) {
    const limit = this.#limit(account, resource);
    const remaining = this.#remaining(account, resource);
    const resetAt = Math.max(this.#window(account, resource).resetAt, this.#exhaustedUntil);
    return { limit, used: limit - remaining, remaining, reset: Math.ceil(resetAt / 1000) };
  }

  #remaining(account: string, resource: LimitResource): number {
    if (this.#clock.now() < this.#exhaustedUntil) return 0;
    return Math.max(0, this.#limit(account, resource) - this.#window(account, resource).used);
  }

  #limit(account: string, resource: LimitResource): number {
    return account === anonymousAccount ? anonymousPerHour : this.#limits[resource];
  }

  #window(account: string, resource: LimitResource): Window {
    const key = `${account}/${resource}`;
    const now = this.#clock.now();
    let window = this.#windows.get(key);
    if (window === undefined || now >= window.resetAt) {
      window = { used: 0, resetAt: now + hourMs };
      this.#windows.set(key, window);
    }
    return window;
  }
}

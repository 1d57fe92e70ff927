import type { Clock } from '@drover/core';
import { PlatformError } from './answers.ts';

export interface RateLimitOptions {
  /** Requests an hour for each token or installation (docs.github.com, "Rate limits for the REST API"). @default 5000 */
  readonly perHour?: number;
  /** Secondary limit: points a minute, a read costs 1, a write 5. @default 900 */
  readonly pointsPerMinute?: number;
}

interface Window {
  used: number;
  resetAt: number;
  points: { minute: number; spent: number };
}

const hourMs = 3_600_000;

/** Primary and secondary limits by account. A refused request still costs nothing; an authorised 304 does not count. */
export class RateLimits {
  #clock: Clock;
  #perHour: number;
  #pointsPerMinute: number;
  #windows = new Map<string, Window>();
  #exhaustedUntil = 0;

  constructor(clock: Clock, options: RateLimitOptions = {}) {
    this.#clock = clock;
    this.#perHour = options.perHour ?? 5000;
    this.#pointsPerMinute = options.pointsPerMinute ?? 900;
  }

  /** For operators and tests: everybody's budget is used up until then. */
  exhaustUntil(at: number): void {
    this.#exhaustedUntil = at;
  }

  /** Throws when the account has asked too much. */
  admit(account: string, method: string): void {
    const window = this.#window(account);
    const now = this.#clock.now();
    const minute = Math.floor(now / 60_000);
    if (window.points.minute !== minute) window.points = { minute, spent: 0 };
    window.points.spent += method === 'GET' || method === 'HEAD' ? 1 : 5;
    if (window.points.spent > this.#pointsPerMinute)
      throw new PlatformError(
        403,
        'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
        {
          'retry-after': '60',
          ...this.headers(account),
        },
      );
    if (this.#remaining(window) <= 0)
      throw new PlatformError(403, `API rate limit exceeded for ${account}.`, this.headers(account));
  }

  count(account: string): void {
    this.#window(account).used += 1;
  }

  /** Requests that counted in the present hour. */
  used(account: string): number {
    return this.#window(account).used;
  }

  headers(account: string): Record<string, string> {
    const window = this.#window(account);
    const resetAt = Math.max(window.resetAt, this.#exhaustedUntil);
    return {
      'x-ratelimit-limit': String(this.#perHour),
      'x-ratelimit-remaining': String(this.#remaining(window)),
      'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
      'x-ratelimit-used': String(this.#perHour - this.#remaining(window)),
      'x-ratelimit-resource': 'core',
    };
  }

  status(account: string) {
    const headers = this.headers(account);
    return {
      limit: this.#perHour,
      used: Number(headers['x-ratelimit-used']),
      remaining: Number(headers['x-ratelimit-remaining']),
      reset: Number(headers['x-ratelimit-reset']),
    };
  }

  #remaining(window: Window): number {
    return this.#clock.now() < this.#exhaustedUntil ? 0 : Math.max(0, this.#perHour - window.used);
  }

  #window(account: string): Window {
    const now = this.#clock.now();
    let window = this.#windows.get(account);
    if (window === undefined || now >= window.resetAt) {
      window = { used: 0, resetAt: now + hourMs, points: { minute: 0, spent: 0 } };
      this.#windows.set(account, window);
    }
    return window;
  }
}

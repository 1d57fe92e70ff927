import type { AnswerHeaders } from './failures.ts';

/** The platform's last statement about our primary rate limit, and its time. */
export interface PlatformBudget {
  readonly limit: number;
  readonly remaining: number;
  readonly used: number;
  readonly resetAt: number;
  readonly at: number;
}

/** Keeps what the responses say of limits. */
export class Budget {
  #last: PlatformBudget | undefined;
  #quietUntil = 0;

  last(): PlatformBudget | undefined {
    return this.#last;
  }

  /** Until when the platform asked for a pause. */
  get quietUntil(): number {
    return this.#quietUntil;
  }

  quietFor(ms: number, now: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, now + ms);
  }

  /** Other resources have limits of their own; an Enterprise Server may have none. */
  note(headers: AnswerHeaders, now: number): void {
    const [remaining, reset] = [headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']];
    if (remaining === undefined || reset === undefined) return;
    if ((headers['x-ratelimit-resource'] ?? 'core') !== 'core') return;
    this.#last = {
      limit: Number(headers['x-ratelimit-limit']),
      remaining: Number(remaining),
      used: Number(headers['x-ratelimit-used']),
      resetAt: Number(reset) * 1000,
      at: now,
    };
  }
}
